(ns plumbline.suites.schedule
  "In which order the nemesis brings faults about. Needs no Jepsen.")

(def healing
  "The order in which faults are ended: a process that is stopped or gone has no clock to put right."
  [:partition :pause :kill :clock])

(defn steps
  "Endless steps for kinds of fault: [:begin kind], [:end kind] and [:wait]. Every kind has its turn;
  by turns there is one fault or there are two together, and after each turn a wait without any."
  [kinds]
  (let [turns (fn turns [[size & sizes] kinds]
                (lazy-seq (cons (take size kinds) (turns sizes (drop size kinds)))))
        sizes (if (next kinds) (cycle [1 2]) (repeat 1))]
    (when (seq kinds)
      (mapcat (fn [turn]
                (concat (map #(vector :begin %) turn)
                        [[:wait]]
                        (map #(vector :end %) (filter (set turn) healing))
                        [[:wait]]))
              (turns sizes (cycle kinds))))))
