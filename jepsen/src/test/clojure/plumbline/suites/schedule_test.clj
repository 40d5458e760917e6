(ns plumbline.suites.schedule-test
  (:require [clojure.test :refer [deftest is]]
            [plumbline.suites.schedule :as schedule]))

(deftest faults-come-alone-and-in-pairs-with-quiet-between
  (is (= [[:begin :kill] [:wait] [:end :kill] [:wait]
          [:begin :clock] [:begin :partition] [:wait] [:end :partition] [:end :clock] [:wait]
          [:begin :pause] [:wait] [:end :pause] [:wait]]
         (take 14 (schedule/steps [:kill :clock :partition :pause])))))

(deftest one-kind-is-never-paired-with-itself
  (is (= [[:begin :kill] [:wait] [:end :kill] [:wait]]
         (take 4 (drop 4 (schedule/steps [:kill]))))))

(deftest what-begins-ends-before-it-begins-again
  (doseq [kinds [[:kill] [:kill :pause] [:kill :pause :clock] schedule/healing]]
    (loop [[[what kind] & more] (take 200 (schedule/steps kinds)), open #{}]
      (when what
        (case what
          :begin (is (not (open kind)))
          :end (is (open kind))
          :wait (is (<= (count open) 2)))
        (recur more (case what :begin (conj open kind) :end (disj open kind) open))))))

(deftest no-faults-no-steps
  (is (empty? (schedule/steps []))))
