(ns plumbline.suites.clocks-test
  (:require [clojure.test :refer [deftest is]]
            [plumbline.jepsen.testing :as testing]
            [plumbline.suites.clocks :as clocks])
  (:import (com.fasterxml.jackson.databind ObjectMapper)
           (com.sun.net.httpserver HttpHandler HttpServer)
           (dev.plumbline.cluster Certificates)
           (dev.plumbline.node NodeConfig NodeConfig$Address)
           (java.net InetSocketAddress)))

(def ^:private processes
  [{:id "c" :node "n" :clock :interval :bound 200} {:id "o" :node "n" :clock :true-time :bound 100}])

(deftest faults-stay-within-their-bounds
  (let [faults (take 500 (clocks/faults ["n"] processes 1))]
    (is (= #{"c" "o"} (set (mapcat keys faults))))
    (is (every? #(<= (abs (or (:shift %) 0)) 100) (mapcat vals faults)))
    (is (every? #(<= (abs (or (:ppm %) 0)) 200) (mapcat vals faults)))
    (is (= #{:jump :strobe :drift} (set (map :kind (mapcat vals faults)))))))

(deftest commands-are-the-admin-ports
  (is (= {"shift" 60 "half" 100} (clocks/command {:kind :jump :shift 60} 100)))
  (is (= {"shift" -60 "half" 100 "strobe" 20000}
         (clocks/command {:kind :strobe :shift -60 :period 20000} 100)))
  (is (= {"drift" 150} (clocks/command {:kind :drift :ppm 150} 100))))

(defn- report [fields] (.valueToTree (ObjectMapper.) fields))

(deftest a-drift-shows-in-two-reports
  (let [before (report {"at" 0 "local" 0})]
    (is (= {:ppm 150} (clocks/seen {:kind :drift :ppm 150} before
                                   (report {"at" 500000 "local" 500075}))))
    (is (nil? (clocks/seen {:kind :drift :ppm 150} before (report {"at" 500000 "local" 500000}))))))

(deftest a-shift-shows-on-either-side
  (let [shifted (fn [n] (clocks/seen {:kind :strobe :shift 60} nil (report {"shift" n})))]
    (is (= [{:shift 60} {:shift -60} nil] (map shifted [60 -60 0])))))

(defn- cluster [admin]
  (let [token (.toPath (testing/file "token"))]
    (Certificates/token token)
    (NodeConfig. "k2" nil {"o" (NodeConfig$Address. "127.0.0.1" 0 admin)} nil nil 0 nil nil nil nil nil nil
                 0 nil (str token) false nil nil nil nil)))

(defn- with-admin-port
  "Calls f with a cluster of one node, whose admin port always gives the same report."
  [answer f]
  (let [server (HttpServer/create (InetSocketAddress. "127.0.0.1" 0) 0)]
    (.createContext server "/faults"
                    (reify HttpHandler
                      (handle [_ exchange]
                        (let [bytes (.writeValueAsBytes (ObjectMapper.) answer)]
                          (.sendResponseHeaders exchange 200 (count bytes))
                          (with-open [out (.getResponseBody exchange)] (.write out bytes))))))
    (.start server)
    (try (f (cluster (.getPort (.getAddress server))))
         (finally (.stop server 0)))))

(deftest a-clock-that-does-not-move-is-an-error
  (with-admin-port {"shift" 0}
    #(is (thrown-with-msg? RuntimeException #"the clock of o shows no jump"
                           (clocks/inflict! % "o" {:kind :jump :shift 60} 100))))
  (with-admin-port {"shift" 60}
    #(do (is (= {:shift 60} (clocks/inflict! % "o" {:kind :jump :shift 60} 100)))
         (is (clocks/restore! % "o")))))

(deftest a-process-that-is-down-has-no-clock
  (let [nowhere (cluster 1)]
    (is (nil? (clocks/inflict! nowhere "o" {:kind :jump :shift 60} 100)))
    (is (false? (clocks/restore! nowhere "o")))))
