(ns plumbline.jepsen.page
  "One run on one page: verdicts of all judges, a timeline of operations and faults, rates and
  latencies, and the command that repeats it; as HTML, as text, and as JUnit XML.

  A result is {:title, :command, :verdict, :run (pairs of words and values), :judges [{:judge,
  :subject, :verdict, :reason, :details [lines]}…], :ops (the history's maps)}. Verdicts are words:
  valid, invalid, unknown, not run."
  (:require [clojure.string :as str]
            [plumbline.jepsen.history :as history]))

;; What the history holds

(defn- nanos->s [n] (/ n 1e9))

(defn calls
  "Client operations as {:process, :from, :to (seconds), :type, :read, :later}, in order of
  completion. One that committed, and has an error, was given up before; its client asked for the
  outcome later. A completion of nothing, which breaks a history, is left out."
  [ops]
  (second
   (reduce (fn [[open done] {:keys [process type time] :as op}]
             (cond
               (= :nemesis process) [open done]
               (= :invoke type) [(assoc open process op) done]
               (nil? (open process)) [open done]
               :else [(dissoc open process)
                      (conj done {:process process :type type :read (:read op)
                                  :later (and (= :ok type) (some? (:error op)))
                                  :from (nanos->s (:time (open process))) :to (nanos->s time)})]))
           [{} []]
           ops)))

(defn- outcome
  "A call's type, but :later of one that committed and whose client had given it up."
  [call]
  (if (:later call) :later (:type call)))

(defn- answered
  "The calls that committed and whose client was told so in time."
  [calls]
  (filter #(= :ok (outcome %)) calls))

(defn- millis [call] (* 1000 (- (:to call) (:from call))))

(defn fault-times
  "Intervals {:kind, :from, :to, :value} in which a fault was active. The injector reports each of
  its operations twice, when it begins and when it is done; one that never ended lasts to the end.
  Where the value says after how many milliseconds the fault was in force (:in-force-ms), the
  interval is that in which it surely was: from then until its end was asked for."
  [ops]
  (let [end (nanos->s (:time (peek (vec ops)) 0))
        done (for [[_ [a b]] (group-by (juxt :f :id) (filter #(= :nemesis (:process %)) ops))]
               {:f (:f a) :id (:id a) :from (nanos->s (:time a)) :to (nanos->s (:time (or b a)))
                :value (:value (or b a)) :error (:error b)})
        stops (into {} (map (juxt #(vector (:f %) (:id %)) identity)) done)]
    (sort-by :from
             (for [{:keys [f id from value error]} done
                   :let [[_ kind] (re-matches #"start-(.*)" (name f))
                         in-force (when (map? value) (:in-force-ms value))
                         stop (get stops [(keyword (str "stop-" kind)) id])]
                   :when kind]
               (cond-> {:kind kind :from (+ from (/ (or in-force 0) 1e3)) :value value
                        :to (get stop (if in-force :from :to) end)}
                 error (assoc :error error))))))

(defn quantile [q sorted]
  (nth sorted (min (dec (count sorted)) (int (* q (count sorted))))))

;; Drawing

(defn- esc [x]
  (-> (str x) (str/replace "&" "&amp;") (str/replace "<" "&lt;") (str/replace ">" "&gt;")
      (str/replace "\"" "&quot;")))

(defn- el
  "An element. Attributes with nil are left out."
  [tag attributes & content]
  (str "<" (name tag)
       (str/join (for [[k v] attributes :when (some? v)] (str " " (name k) "=\"" (esc v) "\"")))
       (if (seq content)
         (str ">" (str/join (flatten content)) "</" (name tag) ">")
         "/>")))

(defn- fixed [x] (String/format java.util.Locale/ROOT "%.1f" (object-array [(double x)])))

(def ^:private left 86)
(def ^:private width 980)
(def ^:private colours
  {:ok "#2f7d5b" :later "#b5d3c5" :fail "#c58a12" :info "#b3261e"
   "partition" "#6c5ce7" "clock" "#0984a8" "kill" "#b3261e" "pause" "#8d6e63" "slow" "#5a7d2a"
   "loss" "#ad1457" "disk" "#455a64"})
(def ^:private outcome-words
  {:ok "committed" :later "committed, learned later" :fail "aborted" :info "unknown"})

(defn- label [x y text & {:as more}]
  (el :text (merge {:x (fixed x) :y (fixed y)} more) (esc text)))

(defn- panel
  "A titled strip of the drawing with its own height; `draw` returns elements for y from 0."
  [y height title content]
  (el :g {:transform (str "translate(0," (fixed y) ")")}
      (label 0 -8 title :class "title")
      (el :rect {:x left :y 0 :width (- width left) :height (fixed height) :class "panel"})
      content))

(defn- bands [x height faults]
  (for [{:keys [kind from to]} faults]
    (el :rect {:x (fixed (x from)) :y 0 :width (fixed (max 1 (- (x to) (x from)))) :height (fixed height)
               :fill (colours kind "#888") :opacity "0.08"})))

(defn- fault-rows [x faults kinds]
  (for [[i kind] (map-indexed vector kinds)]
    (let [y (* i 18)]
      (list (label (- left 8) (+ y 13) kind :text-anchor "end")
            (for [{:keys [from to value]} (filter #(= kind (:kind %)) faults)]
              (el :rect {:x (fixed (x from)) :y (+ y 3) :width (fixed (max 2 (- (x to) (x from))))
                         :height 12 :rx 2 :fill (colours kind "#888")}
                  (el :title {} (esc (str kind " " (fixed from) "–" (fixed to) " s: " value)))))))))

(defn- operation-rows
  "One path for each outcome: a stroke for each operation, in the row of its client."
  [x calls clients row]
  (for [type [:later :ok :fail :info]]
    (el :path {:stroke (colours type) :stroke-width (fixed (max 0.8 (* 0.8 row))) :fill "none"
               :d (str/join
                   (for [{:keys [process from to] :as c} calls :when (= type (outcome c))]
                     (str "M" (fixed (x from)) " "
                          (fixed (* row (+ 0.5 (mod process clients))))
                          "h" (fixed (max 0.6 (- (x to) (x from)))))))})))

(defn- line-path [points]
  (str/join (map-indexed (fn [i [px py]] (str (if (zero? i) "M" "L") (fixed px) " " (fixed py)))
                         points)))

(defn- legend [entries y]
  (first
   (reduce (fn [[out at] [colour text]]
             [(conj out
                    (el :rect {:x (fixed at) :y (fixed (- y 9)) :width 10 :height 10 :fill colour})
                    (label (+ at 14) y text))
              (+ at 26 (* 6.6 (count text)))])
           [[] (+ left 260)]
           entries)))

(defn- nice
  "The least of 1, 2, 5, 10, 20… that is not below n."
  [n]
  (first (filter #(>= % n) (for [p (iterate #(* 10 %) 1), m [1 2 5]] (* m p)))))

(defn- rates [x height calls seconds]
  (let [by-second (frequencies (map (juxt :type #(int (:to %))) calls))
        top (nice (max 1 (apply max 0 (vals by-second))))
        y #(- height (* height (/ % top)))]
    (list
     (for [v [0 (/ top 2) top]]
       (list (label (- left 8) (+ 4 (y v)) (fixed v) :text-anchor "end")
             (el :path {:d (str "M" left " " (fixed (y v)) "H" width) :class "grid"})))
     (for [type [:ok :fail :info]]
       (el :path {:fill "none" :stroke (colours type) :stroke-width 1.6
                  :d (line-path (for [s (range (int seconds))]
                                  [(x (+ s 0.5)) (y (get by-second [type s] 0))]))})))))

(defn- latencies [x height calls end]
  (let [done (answered calls)
        millis #(max 0.1 (millis %))
        low (Math/log10 1)
        high (Math/log10 (nice (max 10 (apply max 1 (map millis done)))))
        y #(- height (* height (/ (- (max low (Math/log10 %)) low) (- high low))))
        seconds (sort-by key (group-by #(int (:to %)) done))]
    (list
     (for [e (range 0 (inc (int high)))]
       (list (label (- left 8) (+ 4 (y (Math/pow 10 e))) (str (long (Math/pow 10 e)) " ms")
                    :text-anchor "end")
             (el :path {:d (str "M" left " " (fixed (y (Math/pow 10 e))) "H" width) :class "grid"})))
     (el :path {:stroke (:ok colours) :stroke-width 1.6 :stroke-linecap "round" :opacity "0.35"
                :d (str/join (for [c done]
                               (str "M" (fixed (x (:to c))) " " (fixed (y (millis c))) "h0.01")))})
     (for [[q colour] [[0.5 "#14532d"] [0.99 "#b3261e"]]]
       (el :path {:fill "none" :stroke colour :stroke-width 1.6
                  :d (line-path (for [[s cs] seconds]
                                  [(x (min end (+ s 0.5))) (y (quantile q (sort (map millis cs))))]))})))))

(defn timeline
  "The drawing of a run as SVG."
  [ops]
  (let [calls (calls ops)
        faults (fault-times ops)
        kinds (sort (distinct (map :kind faults)))
        seconds (max 1 (nanos->s (:time (peek (vec ops)) 0)))
        x (fn [t] (+ left (* (- width left) (/ t seconds))))
        clients (max 1 (count (distinct (map :process (take-while #(not= :info (:type %)) calls)))))
        row (max 2.0 (min 6.0 (/ 200.0 clients)))
        h-faults (* 18 (max 1 (count kinds)))
        h-ops (* row clients)
        y-ops (+ 24 h-faults 40)
        y-rate (+ y-ops h-ops 40)
        y-lat (+ y-rate 130 40)
        bottom (+ y-lat 150)]
    (el :svg {:xmlns "http://www.w3.org/2000/svg" :viewBox (str "0 0 1000 " (fixed (+ bottom 34)))
              :role "img" :aria-label "Operations, faults, rates and latencies over time"
              :font-family "system-ui, sans-serif" :font-size 12}
        (el :style {}
            ".title{font-weight:600}.panel{fill:none;stroke:#ccc}.grid{stroke:#ddd;stroke-width:.6}")
        (panel 24 h-faults "Faults"
               (if (seq faults)
                 (fault-rows x faults kinds)
                 (label (+ left 8) 13 "none")))
        (panel y-ops h-ops (str "Operations by client (" clients ")")
               (list (bands x h-ops faults) (operation-rows x calls clients row)
                     (legend (for [t [:ok :later :fail :info]] [(colours t) (outcome-words t)]) -8)))
        (panel y-rate 130 "Answers per second"
               (list (bands x 130 faults) (rates x 130 calls seconds)))
        (panel y-lat 150 "Latency of commits that clients were told in time"
               (list (bands x 150 faults) (latencies x 150 calls seconds)
                     (legend [["#14532d" "median"] ["#b3261e" "99th percentile"]] -8)))
        (for [t (range 0 (inc (long seconds)) (nice (/ seconds 12)))]
          (label (x t) (+ bottom 16) (str t " s") :text-anchor "middle")))))

;; Pages

(defn numbers
  "What a page says about the operations and faults of a history, for Java: strings for keys."
  [file]
  (let [ops (history/read-file file)
        calls (calls ops)
        n (frequencies (map :type calls))
        millis (vec (sort (map millis (answered calls))))]
    {"committed" (n :ok 0) "later" (count (filter :later calls))
     "aborted" (n :fail 0) "unknown" (n :info 0)
     "latencyMillis" (when (seq millis)
                       {"median" (quantile 0.5 millis) "p99" (quantile 0.99 millis)
                        "most" (peek millis)})
     "perSecond" (vec (for [[second group] (sort-by key (group-by #(int (:to %)) calls))
                            :let [k (frequencies (map :type group))]]
                        {"second" second "committed" (k :ok 0) "aborted" (k :fail 0)
                         "unknown" (k :info 0)}))
     "faults" (vec (for [{:keys [kind from to value error]} (fault-times ops)]
                     (cond-> {"kind" kind "from" from "to" to "seen" (str value)}
                       error (assoc "error" (str error)))))}))

(defn summary
  "Pairs of words and values about the operations of a history."
  [ops]
  (let [calls (calls ops)
        n (frequencies (map :type calls))
        later (count (filter :later calls))
        millis (vec (sort (map millis (answered calls))))]
    (into [["committed" (cond-> (n :ok 0)
                          (pos? later) (str ", of which " later " were given up by their clients,"
                                            " which learned of it later"))]
           ["aborted" (n :fail 0)] ["unknown" (n :info 0)]]
          (when (seq millis)
            [["latency" (str "median " (fixed (quantile 0.5 millis)) " ms, 99% "
                             (fixed (quantile 0.99 millis)) " ms, most " (fixed (peek millis)) " ms")]]))))

(def ^:private verdict-colours
  {"valid" "#2f7d5b" "invalid" "#b3261e" "unknown" "#c58a12" "not run" "#777"})

(defn html [{:keys [title command verdict run judges ops]}]
  (str
   "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
   (el :title {} (esc title))
   "<meta name=\"viewport\" content=\"width=device-width\"><style>"
   "body{font:15px/1.5 system-ui,sans-serif;max-width:1060px;margin:2rem auto;padding:0 1rem;"
   "color:#222;background:#fff}table{border-collapse:collapse;margin:.6rem 0}"
   "td,th{padding:.2rem .9rem .2rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #eee}"
   "code,pre{background:#f5f5f5;padding:.15rem .35rem}pre{overflow:auto;padding:.6rem;font-size:12px}"
   "h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:1.8rem}.v{font-weight:600}.time{white-space:nowrap}svg{width:100%}"
   "td pre{white-space:pre-wrap}td:last-child{overflow-wrap:anywhere}"
   "@media(max-width:40em){tr,td,th{display:block}td,th{border:0}tr{border-bottom:1px solid #eee}}"
   "</style></head><body>"
   (el :h1 {} (esc title) ": " (el :span {:style (str "color:" (verdict-colours verdict "#222"))}
                                  (esc verdict)))
   (el :p {} "Repeat it: " (el :code {} (esc command)))
   (el :table {} (for [[k v] (concat run (summary ops))]
                   (el :tr {} (el :th {} (esc k)) (el :td {} (esc v)))))
   (el :h2 {} "Judges")
   (el :table {}
       (for [{:keys [judge subject verdict reason details]} judges]
         (el :tr {}
             (el :td {} (esc judge)) (el :td {} (esc subject))
             (el :td {:class "v" :style (str "color:" (verdict-colours verdict "#222"))} (esc verdict))
             (el :td {} (esc reason) (when (seq details)
                                       (el :pre {} (esc (str/join "\n" details))))))))
   (el :h2 {} "Timeline")
   (timeline ops)
   (el :h2 {} "Faults, and what showed that they happened")
   (el :table {}
       (for [{:keys [kind from to value]} (fault-times ops)]
         (el :tr {} (el :td {} (esc kind)) (el :td {:class "time"} (fixed from) "–" (fixed to) " s")
             (el :td {} (esc value)))))
   "</body></html>\n"))

(defn text [{:keys [title command verdict run judges ops]}]
  (let [faults (fault-times ops)
        pad (fn [n s] (format (str "%-" (max 1 n) "s") (str s)))
        widest (fn [f] (apply max 0 (map (comp count str f) judges)))]
    (str/join
     "\n"
     (concat
      [(str title ": " verdict)]
      (for [[k v] (concat run (summary ops))] (str "  " (pad 14 k) v))
      [(str "  " (pad 14 "faults")
            (if (seq faults)
              (str/join ", " (for [[k n] (sort (frequencies (map :kind faults)))] (str n " " k)))
              "none"))]
      (for [{:keys [judge subject verdict reason details]} judges]
        (str "  " (pad (widest :judge) judge) "  " (pad (widest :subject) subject) "  " verdict
             (when (seq reason) (str ": " reason))
             (str/join (map #(str "\n      " %) details))))
      [(str "repeat: " command) ""]))))

(defn junit
  "A test case for each judge, with its time: invalid fails; unknown and not run are skipped, with
  the reason."
  [{:keys [title judges]} seconds]
  (let [n (frequencies (map :verdict judges))
        skipped #(el :skipped {:message (str %1 ": " (if (seq %2) %2 "see the details"))} %3)]
    (str "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         (el :testsuite {:name title :tests (count judges) :failures (n "invalid" 0)
                         :errors 0 :skipped (+ (n "unknown" 0) (n "not run" 0))
                         :time (fixed seconds)}
             (for [{:keys [judge subject verdict reason details seconds]} judges]
               (let [detail (esc (str/join "\n" (cons reason details)))]
                 (el :testcase {:classname title :name (str judge ": " subject)
                                :time (format "%.3f" (double (or seconds 0)))}
                     (case verdict
                       "valid" ""
                       "invalid" (el :failure {:message (str reason)} detail)
                       (skipped verdict reason detail))))))
         "\n")))

(defn write!
  "Writes result.html, result.txt, result.xml and timeline.svg into a folder; returns the text."
  [folder {:keys [ops] :as result}]
  (let [file #(str folder "/" %)
        said (text result)]
    (spit (file "result.html") (html result))
    (spit (file "result.txt") said)
    (spit (file "result.xml") (junit result (nanos->s (:time (peek (vec ops)) 0))))
    (spit (file "timeline.svg") (timeline ops))
    said))

(defn write-result
  "As write!, for Java: a result with strings for keys, and the history in history.edn."
  [folder result]
  (let [keyed (fn keyed [m] (into {} (map (fn [[k v]] [(keyword k) v])) m))]
    (write! folder (-> (keyed result)
                       (update :judges (partial mapv keyed))
                       (assoc :ops (history/read-file (str folder "/history.edn")))))))
