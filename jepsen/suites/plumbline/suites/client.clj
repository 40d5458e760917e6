(ns plumbline.suites.client
  "The local runner's client as a Jepsen client."
  (:require [jepsen.client :as client]
            [plumbline.jepsen.rig :as rig]
            [plumbline.suites.db :as db])
  (:import (dev.plumbline.rig RigClient)))

(def ^:private millis 1200)

(defrecord Client [^RigClient connection]
  client/Client
  (open! [this test node]
    (assoc this :connection
           (RigClient. (db/config test) (.indexOf ^java.util.List (:nodes test) node) millis)))
  (setup! [_ _])
  (invoke! [_ _ op]
    (.begin connection (rig/transaction op))
    (rig/completion op (.run connection)))
  (teardown! [_ _])
  (close! [_ _] (.close connection)))

(defn client [] (->Client nil))
