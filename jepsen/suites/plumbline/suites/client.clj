(ns plumbline.suites.client
  "The local runner's client as a Jepsen client."
  (:require [jepsen.client :as client]
            [plumbline.jepsen.rig :as rig]
            [plumbline.suites.layout :as layout])
  (:import (dev.plumbline.client PlumbClient Session)
           (dev.plumbline.cluster Cluster)
           (java.time Duration)))

(def ^:private millis 1200)

(defrecord Client [^PlumbClient clients ^Session session]
  client/Client
  (open! [this test node]
    (let [clients (PlumbClient. (layout/client-config test) Cluster/CLIENT)]
      (assoc this :clients clients
                  :session (.session clients (.indexOf ^java.util.List (:nodes test) node)
                                     (Duration/ofMillis millis)))))
  (setup! [_ _])
  (invoke! [_ _ op]
    (.begin session (rig/transaction op))
    (let [visit (.visit session)
          done (try (rig/completion op (.run session))
                    (catch Exception e (assoc op :type :info :error (str e))))]
      (merge (rig/visit done visit) (select-keys op [:place]))))
  (teardown! [_ _])
  (close! [_ _] (.close session) (.close clients)))

(defn client [] (->Client nil nil))
