(ns plumbline.suites.nemesis
  "Jepsen's own nemeses for the faults that the local runner has too: partitions, SIGKILL, SIGSTOP."
  (:require [jepsen.nemesis.combined :as combined]))

(defn package
  "A nemesis package for kinds of fault; clocks are the local runner's, since the machines read the
  monotonic clock alone."
  [db kinds interval]
  (combined/nemesis-package
   {:db db
    :faults (set (filter #{:partition :kill :pause} kinds))
    :partition {:targets [:one :majority :majorities-ring :primaries]}
    :kill {:targets [:one :minority]}
    :pause {:targets [:one :minority]}
    :interval interval}))
