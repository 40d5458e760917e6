(defproject dev.plumbline/suites "0.1.0-SNAPSHOT"
  :description "Plumbline's protocols under Jepsen."
  :license {:name "Apache-2.0"}
  :dependencies [[org.clojure/clojure "1.12.5"]
                 [jepsen "0.3.13"]
                 [com.fasterxml.jackson.core/jackson-databind "2.22.4"]
                 [com.fasterxml.jackson.dataformat/jackson-dataformat-yaml "2.22.4"]
                 [io.netty/netty-codec-http "4.1.139.Final"]
                 [io.netty/netty-handler "4.1.139.Final"]
                 [org.bouncycastle/bcpkix-jdk18on "1.87"]
                 [org.rocksdb/rocksdbjni "11.8.1"]
                 [us.bpsm/edn-java "0.7.1"]]
  ; The machines, histories and the rig come from the Maven build: ./plumb --help builds them.
  :source-paths ["src/main/clojure" "suites"]
  :resource-paths ["../impl/target/classes" "../impl/node/target/classes"]
  :test-paths ["src/test/clojure"]
  :jvm-opts ["-Xmx4g" "-Djava.awt.headless=true"]
  :main plumbline.suites.cli)
