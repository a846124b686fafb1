import Containers
import Testing

@Suite struct StateTapeTests {
  /// A number as it comes back; nil where it is not read.
  private func again(_ number: Double) -> Double? {
    var (tape, written) = (StateTape(), number)
    tape.pass(&written)
    var (reader, read) = (StateTape(tape.bytes), 7.0)
    reader.pass(&read)
    return reader.isReadWhole ? read : nil
  }

  /// A state goes on with the very numbers: also zero keeps its sign, which a bearing may show.
  @Test(arguments: [
    0, -0.0, 1, 254, 255, 256, -1, 0.5, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
  ])
  func aNumberComesBackToTheBit(number: Double) {
    #expect(again(number)?.bitPattern == number.bitPattern)
  }

  @Test(arguments: [Double.nan, .infinity])
  func whatIsNotFiniteIsNotRead(number: Double) {
    #expect(again(number) == nil)
  }
}
