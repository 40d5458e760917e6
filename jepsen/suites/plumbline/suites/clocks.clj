(ns plumbline.suites.clocks
  "Faults of the clocks that the machines read, as commands of the nodes' admin ports. Jepsen's own
  clock nemesis sets the wall clock, which no machine reads. Needs no Jepsen."
  (:require [plumbline.jepsen.fault :as fault])
  (:import (com.fasterxml.jackson.databind JsonNode)
           (dev.plumbline.cluster AdminPort)))

(def ^:private measured-millis 500)
(def ^:private tolerance-ppm 20)

(defn faults
  "Endless faults within the bounds, each a map of process ids to what happens to their clocks (see
  plumbline.jepsen.fault)."
  [nodes processes seed]
  (->> (fault/schedule [:clock] 600 seed {:nodes nodes :clocks processes :broken []})
       (filter #(= :start-clock (:f %)))
       (map (comp :clocks :value))
       cycle))

(defn command
  "The admin port's command for what happens to a clock; half is the half width of TrueTime's
  interval, microseconds."
  [{:keys [kind shift period ppm]} half]
  (case kind
    :jump {"shift" shift "half" half}
    :strobe {"shift" shift "half" half "strobe" period}
    :drift {"drift" ppm}))

(def undo "The command that makes any clock right again."
  {"drift" 0 "shift" 0 "half" -1 "strobe" 0})

(defn- number [^JsonNode report field] (.asLong (.path report ^String field)))

(defn seen
  "What shows in two reports, some time apart, that a clock is as it should be; nil if nothing does."
  [{:keys [kind shift ppm]} before after]
  (if (= :drift kind)
    (let [passed (- (number after "at") (number before "at"))
          local (- (number after "local") (number before "local"))
          rate (Math/round (/ (* 1e6 (- local passed)) passed))]
      (when (< (abs (- rate ppm)) tolerance-ppm) {:ppm rate}))
    (let [now (number after "shift")]
      (when (= (abs shift) (abs now)) {:shift now}))))

(defn inflict!
  "Does that to the clock of a process of a cluster (its configuration) and returns what was seen; nil if the process
  does not answer, as while it is down or stopped. Throws if it answers and nothing is seen."
  [cluster id fault half]
  (when-let [before (try (AdminPort/faults cluster id (command fault half))
                         (catch java.io.IOException _ nil))]
    (Thread/sleep (long measured-millis))
    (let [after (AdminPort/faults cluster id {})]
      (or (seen fault before after)
          (throw (ex-info (str "the clock of " id " shows no " (name (:kind fault)))
                          {:fault fault :report (str after)}))))))

(defn restore!
  "Makes the clock of a process right; whether the process answered."
  [cluster id]
  (try (AdminPort/faults cluster id undo)
       true
       (catch java.io.IOException _ false)))
