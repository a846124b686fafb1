import Glibc

/// Serial lines (termios(3)).
enum SerialPort {
  /// Opens a line for this program alone, raw, 8 bits, no parity, one stop bit, without flow control.
  ///
  /// VMIN 1 and VTIME 0: with these a read of 0 bytes means on Linux that the device is gone.
  static func open(_ path: String, baud: Int) throws(SystemError) -> Descriptor {
    // Without O_NONBLOCK, opening would wait for a carrier.
    let flags = O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    var raw = Glibc.open(path, O_RDWR | flags)
    if raw < 0, errno == EACCES { raw = Glibc.open(path, O_RDONLY | flags) }
    guard raw >= 0 else {
      let remedy: String? =
        switch errno {
        case EACCES: "add the user of the service to the group dialout"
        case EBUSY: "another program, perhaps gpsd or ModemManager, holds it"
        case ENOENT, ENXIO, ENODEV: "see whether the receiver is plugged in"
        default: nil
        }
      throw .last("open \(path)", remedy: remedy)
    }
    let descriptor = Descriptor(raw)
    try configure(descriptor, path: path, baud: baud)
    return descriptor
  }

  private static func configure(
    _ descriptor: Descriptor, path: String, baud: Int
  ) throws(SystemError) {
    var settings = termios()
    guard tcgetattr(descriptor.raw, &settings) == 0 else {
      throw .last("use \(path) as a serial line", remedy: "read a file by file://")
    }
    cfmakeraw(&settings)
    // XON and XOFF occur in binary protocols; CRTSCTS hangs some USB bridges.
    settings.c_iflag &= ~tcflag_t(IXON | IXOFF | IXANY)
    settings.c_cflag &= ~(tcflag_t(CSIZE | PARENB | CSTOPB) | tcflag_t(CRTSCTS))
    settings.c_cflag |= tcflag_t(CS8 | CREAD | CLOCAL)
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    // glibc takes the speed in baud here and finds its code.
    let hasSpeed = cfsetspeed(&settings, speed_t(clamping: baud)) == 0
    guard hasSpeed, tcsetattr(descriptor.raw, TCSANOW, &settings) == 0 else {
      throw .last("set \(path) to \(baud) baud", remedy: "choose a speed that the line has")
    }
    // What came in before the speed was set is noise.
    tcflush(descriptor.raw, TCIOFLUSH)
    _ = ioctl(descriptor.raw, UInt(TIOCEXCL))
  }

  /// Closes a line. The exclusive mode belongs to the line, not to the descriptor, and would keep
  /// this program out, too, for as long as another still has the line open.
  static func close(_ descriptor: Descriptor) {
    _ = ioctl(descriptor.raw, UInt(TIOCNXCL))
    descriptor.close()
  }
}
