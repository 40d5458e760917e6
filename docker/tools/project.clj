; Elle and Knossos in one jar, from their sources that the image's tools stage checked out and installed.
(defproject dev.plumbline/judges "1"
  :dependencies [[elle "0.2.8-SNAPSHOT"]
                 [knossos "0.3.16-SNAPSHOT"]]
  :uberjar-name "judges.jar")
