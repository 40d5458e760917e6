(ns plumbline.suites.project-test
  "project.clj against the Maven build, since Leiningen can't be run everywhere."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is]]))

(def ^:private project (apply hash-map (drop 3 (edn/read-string (slurp "project.clj")))))

(def ^:private jars
  "Names of the jars that the Maven build uses."
  (set (map #(.getName (io/file %))
            (str/split (System/getProperty "surefire.test.class.path"
                                           (System/getProperty "java.class.path"))
                       #":"))))

(deftest versions-are-those-of-the-maven-build
  (let [[jepsen & others] (sort-by (comp not #{'jepsen} first) (:dependencies project))]
    (is (= 'jepsen (first jepsen)))
    (is (< 3 (count others)))
    (doseq [[library version] others]
      (is (contains? jars (str (name library) "-" version ".jar"))))))

(deftest what-it-names-exists
  (let [{:keys [main source-paths test-paths resource-paths]} project
        file (str (str/replace (str main) "." "/") ".clj")]
    (doseq [path (concat source-paths test-paths resource-paths)]
      (is (.isDirectory (io/file path)) path))
    (is (some #(.isFile (io/file % file)) source-paths) file)))
