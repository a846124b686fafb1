import Containers
import Testing

@Suite struct StateTapeTests {
  /// A state goes on with the very numbers: also zero keeps its sign, which a bearing may show.
  @Test(arguments: [
    0, -0.0, 1, 254, 255, 256, -1, 0.5, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
  ])
  func aNumberComesBackToTheBit(number: Double) {
    var tape = StateTape()
    var written = number
    tape.pass(&written)
    var reader = StateTape(tape.bytes)
    var read = 7.0
    reader.pass(&read)
    #expect(read.bitPattern == number.bitPattern)
    #expect(reader.isReadWhole)
  }

  @Test(arguments: [Double.nan, .infinity])
  func whatIsNotFiniteIsNotRead(number: Double) {
    var tape = StateTape()
    var written = number
    tape.pass(&written)
    var reader = StateTape(tape.bytes)
    var read = 7.0
    reader.pass(&read)
    #expect(read == 7 && !reader.isReadWhole)
  }
}
