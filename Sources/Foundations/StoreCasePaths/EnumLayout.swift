/// The functions in an enum's metadata that return a value's case and give access to its payload.
///
/// The language has no access to them. A mirror takes a microsecond, and cannot distinguish cases
/// that differ only in their labels.
package struct EnumFunctions<Value> {
  fileprivate let metadata = unsafeBitCast(Value.self, to: UnsafeRawPointer.self)
  private let getTag: GetTag
  private let project: Project
  private let setTag: SetTag

  private typealias GetTag =
    @convention(c) (_ value: UnsafeRawPointer, _ metadata: UnsafeRawPointer) -> UInt32

  private typealias Project =
    @convention(c) (_ value: UnsafeMutableRawPointer, _ metadata: UnsafeRawPointer) -> Void

  private typealias SetTag =
    @convention(c) (
      _ value: UnsafeMutableRawPointer, _ tag: UInt32, _ metadata: UnsafeRawPointer
    ) -> Void

  /// Finds the functions; nil if the type is not an enum.
  package init?() {
    guard MetadataKind(rawValue: metadata.load(as: UInt.self)) != nil else { return nil }
    // The table of a type's basic operations is one word before its metadata. It has eight
    // functions, size and stride in a word each, flags and spare bit patterns together in one word,
    // then these functions.
    let witnesses = metadata.load(fromByteOffset: -word, as: UnsafeRawPointer.self)
    let offset = 10 * word + 2 * MemoryLayout<UInt32>.size
    getTag = witnesses.load(fromByteOffset: offset, as: GetTag.self)
    project = witnesses.load(fromByteOffset: offset + word, as: Project.self)
    setTag = witnesses.load(fromByteOffset: offset + 2 * word, as: SetTag.self)
  }

  /// Returns the number of a value's case, which all values of the case share.
  ///
  /// Cases with a payload that occupies memory have the first numbers.
  package func tag(of value: Value) -> Int {
    withUnsafePointer(to: value) { tag(at: $0) }
  }

  /// Returns the number of the case of the value at an address.
  fileprivate func tag(at place: UnsafePointer<Value>) -> Int {
    Int(getTag(UnsafeRawPointer(place), metadata))
  }

  /// Converts a value, in place, into its payload.
  fileprivate func projectPayload(of value: UnsafeMutableRawPointer) {
    project(value, metadata)
  }

  /// Converts a payload, in place, into the value.
  fileprivate func injectTag(_ tag: Int, at value: UnsafeMutableRawPointer) {
    setTag(value, UInt32(tag), metadata)
  }
}

/// The cases of an enum and their payloads, read from its metadata once per type.
package struct EnumLayout<Value> {
  private struct Payload {
    /// Nil if the case has no payload, or if the type has no name at run time.
    let type: Any.Type?
    let isIndirect: Bool
  }

  private let functions: EnumFunctions<Value>
  private let payloads: [Payload]

  /// Reads the metadata; nil if the type is not an enum.
  package init?() {
    guard let functions = EnumFunctions<Value>() else { return nil }
    self.functions = functions
    payloads = Self.payloads(in: functions.metadata)
  }

  /// Returns the number of a value's case.
  package func tag(of value: Value) -> Int {
    functions.tag(of: value)
  }

  /// The types of the payloads, by case number; nil if a case has no payload, or if the type has no
  /// name at run time.
  ///
  /// For a payload of one labelled value it is the value's type.
  package var payloadTypes: [Any.Type?] { payloads.map(\.type) }

  /// Extracts the payload of a value.
  ///
  /// - Parameters:
  ///   - value: A value of the case.
  ///   - tag: The case's number.
  ///   - type: The type of the case's payload.
  /// - Returns: The payload.
  package func payload<P>(of value: Value, tag: Int, as type: P.Type) -> P {
    precondition(payloads[tag].type == type, "Case \(tag) of \(Value.self): no \(type)")
    return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { copy in
      copy.initializeElement(at: 0, to: value)
      guard let pointer = UnsafeMutableRawBufferPointer(copy).baseAddress else {
        preconditionFailure("\(Value.self) takes no memory, but holds a \(type)")
      }
      functions.projectPayload(of: pointer)
      guard payloads[tag].isIndirect else {
        return pointer.assumingMemoryBound(to: P.self).move()
      }
      let box = pointer.load(as: Unmanaged<AnyObject>.self)
      defer { box.release() }
      return Box(at: pointer).contents(P.self).load(as: P.self)
    }
  }
}

// MARK: - Payloads in their places

extension EnumLayout {
  /// Returns the number of the case of the value at an address.
  package func tag(at place: UnsafePointer<Value>) -> Int { functions.tag(at: place) }

  /// Passes a value's payload to a closure, without a copy.
  ///
  /// - Parameters:
  ///   - value: The address of a value of the case.
  ///   - tag: The case's number.
  ///   - body: Receives the payload's address, which is valid until it returns.
  /// - Returns: The closure's result.
  package func lookingAtPayload<R>(
    of value: UnsafePointer<Value>,
    tag: Int,
    _ body: (UnsafeRawPointer) -> R,
  ) -> R {
    withUnsafeTemporaryAllocation(
      byteCount: MemoryLayout<Value>.size,
      alignment: MemoryLayout<Value>.alignment,
    ) { bytes in
      guard let place = bytes.baseAddress else {
        preconditionFailure("\(Value.self) takes no memory, but holds something")
      }
      // Copies only the bytes, without retains or releases.
      place.copyMemory(from: value, byteCount: MemoryLayout<Value>.size)
      functions.projectPayload(of: place)
      guard payloads[tag].isIndirect, let type = payloads[tag].type else { return body(place) }
      return body(Box(at: place).contents(type))
    }
  }

  /// Changes the payload of a value.
  ///
  /// - Parameters:
  ///   - value: The address of a value of the case.
  ///   - tag: The case's number.
  ///   - body: Receives the payload's address, to which it has exclusive access.
  package func changingPayload(
    of value: UnsafeMutablePointer<Value>,
    tag: Int,
    _ body: (UnsafeMutableRawPointer) -> Void,
  ) {
    let place = UnsafeMutableRawPointer(value)
    functions.projectPayload(of: place)
    if payloads[tag].isIndirect, let type = payloads[tag].type {
      // Other values may share the box.
      let box = Box(at: place)
      body(box.replace(type))
    } else {
      body(place)
    }
    functions.injectTag(tag, at: place)
  }
}

/// A box that contains the payload of an indirect case.
private struct Box {
  private let place: UnsafeRawPointer

  init(at place: UnsafeRawPointer) { self.place = place }

  private var object: Unmanaged<AnyObject> { place.load(as: Unmanaged<AnyObject>.self) }

  /// Returns the payload's address, after two words of the box itself.
  func contents<P>(_: P.Type) -> UnsafeRawPointer {
    let mask = MemoryLayout<P>.alignment - 1
    return UnsafeRawPointer(object.toOpaque()) + ((2 * word + mask) & ~mask)
  }

  /// Replaces the box with a new one that contains a copy.
  ///
  /// - Returns: The address of the copy.
  func replace<P>(_: P.Type) -> UnsafeMutableRawPointer {
    let old = object
    // Consists only of the reference to a box.
    var boxed = Boxed<P>.value(contents(P.self).load(as: P.self))
    withUnsafeMutableBytes(of: &boxed) { boxed in
      let box = boxed.load(as: Unmanaged<AnyObject>.self)
      UnsafeMutableRawPointer(mutating: place).storeBytes(
        of: box.retain().toOpaque(),
        as: UnsafeMutableRawPointer.self,
      )
    }
    old.release()
    return UnsafeMutableRawPointer(mutating: contents(P.self))
  }

  private indirect enum Boxed<P> { case value(P) }
}

private let word = MemoryLayout<UInt>.size

/// The kinds of metadata whose value witnesses include the functions of enums.
private enum MetadataKind: UInt {
  case enumeration = 0x201
  case optional = 0x202
}

// MARK: - Payload types

extension EnumLayout {
  /// Returns the payloads in the order of their numbers, from the fields in the reflection data.
  private static func payloads(in metadata: UnsafeRawPointer) -> [Payload] {
    guard metadata.load(as: UInt.self) == MetadataKind.enumeration.rawValue else { return [] }
    let descriptor = metadata.load(fromByteOffset: word, as: UnsafeRawPointer.self)
    // Flags, parent, name, access function, fields, number of cases whose payload occupies memory,
    // number of the other cases: four bytes each.
    let count =
      descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
      + descriptor.load(fromByteOffset: 24, as: UInt32.self)
    guard count > 0, let fields = (descriptor + 16).relative else { return [] }
    return (0..<Int(count)).map { index in
      // The fields begin after 16 bytes; each has flags, a type's name and a name.
      let field = fields + 16 + 12 * index
      let type = (field + 4).relative.flatMap { Self.type(named: $0, in: metadata, descriptor) }
      return Payload(
        type: type.map(unlabelled),
        isIndirect: field.load(as: UInt32.self) & 1 == 1,
      )
    }
  }

  private static func type(
    named name: UnsafeRawPointer,
    in metadata: UnsafeRawPointer,
    _ descriptor: UnsafeRawPointer,
  ) -> Any.Type? {
    _getTypeByMangledNameInContext(
      name.assumingMemoryBound(to: UInt8.self),
      UInt(mangledLength(of: name)),
      genericContext: descriptor,
      genericArguments: metadata + 2 * word,
    )
  }

  /// Returns the length of a mangled name, which may contain references of four or eight bytes.
  private static func mangledLength(of name: UnsafeRawPointer) -> Int {
    var length = 0
    while true {
      switch name.load(fromByteOffset: length, as: UInt8.self) {
      case 0: return length
      case 0x01...0x17: length += 5
      case 0x18...0x1F: length += 9
      default: length += 1
      }
    }
  }

  /// Returns the element's type of a tuple with one element, which represents a labelled value;
  /// otherwise the type itself.
  private static func unlabelled(_ type: Any.Type) -> Any.Type {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    // A tuple's metadata: its kind, the number of its elements, their labels, their types.
    guard metadata.load(as: UInt.self) == 0x301,
      metadata.load(fromByteOffset: word, as: UInt.self) == 1
    else { return type }
    return metadata.load(fromByteOffset: 3 * word, as: Any.Type.self)
  }
}

extension UnsafeRawPointer {
  /// The target of the relative four-byte reference at this address; nil if it is zero.
  fileprivate var relative: UnsafeRawPointer? {
    let offset = load(as: Int32.self)
    return offset == 0 ? nil : self + Int(offset)
  }
}
