import Glibc
import TestSupport
import Testing

@testable import Client

@Suite struct ReplayReportTests {
  @Test func aReportIsCompleteAndFiringsArePrintedToo() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", ReplayTests.drive())
    let reminders = try folder.file(
      "reminders.json",
      #"[{"id":"a","kind":"location","title":"Over","place":{"lat":53.52,"lon":9.98333,"radius_m":100}}]"#
    )
    let page = try folder.file("trip.html", "old")
    let plain = Run(["replay", drive, "--reminders", reminders])
    let run = Run(["replay", drive, "--reminders", reminders, "--report", page])
    #expect(run.status == 0)
    #expect(run.output == plain.output)
    #expect(access("\(page).part", F_OK) != 0)
    let bytes = try fileBytes(page)
    let html = String(decoding: bytes, as: UTF8.self)
    #expect(html.hasPrefix("<!DOCTYPE html>") && html.hasSuffix("</html>\n"))
    #expect(html.contains("<span class=\"title\">Over</span>"))
  }

  @Test func anUnwritableReportFailsBeforeThePlayback() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", ReplayTests.drive())
    let reminders = try folder.file("reminders.json", "[]")
    let run = Run(
      ["replay", drive, "--reminders", reminders, "--report", "/nonexistent/trip.html"])
    #expect(run.status == 73)
    #expect(run.notes.contains("/nonexistent/trip.html: cannot be written: No such file"))
  }

  @Test func aFailedReplayKeepsTheOldReport() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", "nothing of the kind\n")
    let reminders = try folder.file("reminders.json", "[]")
    let page = try folder.file("trip.html", "old")
    #expect(Run(["replay", drive, "--reminders", reminders, "--report", page]).status == 65)
    #expect(try fileBytes(page) == Array("old".utf8))
    #expect(access("\(page).part", F_OK) != 0)
  }
}
