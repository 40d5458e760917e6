(ns plumbline.suites.calls-test
  "Every call of a Java method is one that is there: the compiler looks it up, not the run."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :refer [sh]]
            [clojure.string :as str]
            [clojure.test :refer [deftest is]]
            [plumbline.jepsen.testing :as testing])
  (:import (java.io File)))

(def ^:private sources
  "What Maven's class path can load: Jepsen itself is not on it."
  (for [folder ["src/main/clojure" "suites"]
        ^File file (file-seq (io/file folder))
        :when (and (str/ends-with? (.getName file) ".clj")
                   (not (str/includes? (slurp file) "[jepsen.")))]
    (str file)))

(defn- unresolved
  "What Clojure says of calls that it would look up as they run, of files loaded in a JVM of its own."
  [files]
  (let [path (System/getProperty "surefire.test.class.path" (System/getProperty "java.class.path"))
        java (str (System/getProperty "java.home") "/bin/java")
        load (pr-str (list 'binding '[*warn-on-reflection* true] (list 'run! 'load-file (vec files))))
        {:keys [exit err]} (sh java "-cp" path "clojure.main" "-e" load)]
    (is (zero? exit) err)
    (filter #(str/starts-with? % "Reflection warning") (str/split-lines err))))

(deftest every-call-of-a-method-is-one-that-is-there
  (is (< 10 (count sources)))
  (is (empty? (unresolved sources))))

(deftest a-call-of-a-method-that-is-not-there-is-noticed
  (let [file (testing/file "calls.clj")]
    (spit file "(defn end [^Runtime runtime] (.end runtime 1 2))")
    (is (re-find #"call to method end on java.lang.Runtime" (str (first (unresolved [(str file)])))))))
