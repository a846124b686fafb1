import LinuxRuntime
import Testing

@Suite struct TimeSliceTests {
  /// It needs no right and is no other policy; asking twice is asking once.
  @Test func shortSlicesAreGrantedToAnyProcess() {
    #expect(TimeSlice.requestShortest())
    #expect(TimeSlice.requestShortest())
  }
}
