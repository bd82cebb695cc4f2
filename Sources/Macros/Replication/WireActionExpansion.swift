import SwiftSyntax
import SwiftSyntaxBuilder

/// The wire form of an action's cases: all except those marked `@ReplicationIgnored`.
///
/// The code is direct: it writes by one switch, and reads by comparing one name after another.
struct WireActionExpansion {
  let nodes: [CaseNode]
  /// The prefix of each member: `public `, `package `, or empty.
  let access: String
  /// The type's name in schemas.
  let schemaName: String
  /// The places of the cases in the source.
  let source: SourceLines

  /// The members that `WireAction` requires.
  var declarations: [DeclSyntax] {
    ["\(raw: schema)", "\(raw: encoding)", "\(raw: decoding)"]
  }

  /// Whether the declaration needs the members: it names `WireAction`, and does not implement it.
  static func isWanted(by declaration: EnumDeclSyntax) -> Bool {
    guard declaration.inherits("WireAction") else { return false }
    return !DeclaredNames(declaration.memberBlock.members).hasSchema
  }
}

extension WireActionExpansion {
  private var schema: String {
    let lines = nodes.text { element in
      guard element.isSent else { return nil }
      guard !element.parameters.isEmpty else { return "schema.add(\"\(element.name)\")" }
      let labels = element.wireLabels.map { "\"\($0)\"" }.joined(separator: ", ")
      let constructor = "Self.\(element.identifier)"
      let line = "schema.add(\"\(element.name)\", [\(labels)], \(constructor), in: &registry)"
      return source.place(line, at: element.element.name).joined(separator: "\n")
    }
    let body =
      lines.isEmpty
      ? ".choice([])"
      : "var schema = \(module)_$ActionSchema()\n\(lines)\nreturn .choice(schema.cases)"
    return """
      \(access)nonisolated static func schema(
      in registry: inout \(module)SchemaRegistry
      ) -> \(module)Schema {
      registry.define(Self.self, name: "\(schemaName)") { registry in
      \(body)
      }
      }
      """
  }

  private var encoding: String {
    // The compiler rejects a switch over values that cannot exist because of their payloads.
    let isSwitch = nodes.cases.contains(where: \.parameters.isEmpty) || nodes.isEmpty
    let cases = nodes.text { element in
      let names = element.isSent ? element.partNames : []
      let pattern = element.pattern(binding: names)
      return isSwitch
        ? "case \(pattern):\n\(writing(element))"
        : "if case \(pattern) = self {\n\(writing(element))\n}"
    }
    return """
      \(access)nonisolated func encode(
      to encoder: inout \(module)CBOREncoder
      ) throws(\(module)CodecError) {
      \(isSwitch ? "switch self {\n\(cases)\n}" : cases)
      }
      """
  }

  private func writing(_ element: EnumCase) -> String {
    guard element.isSent else {
      return
        "throw \(module)CodecError._$privateAction(\"\(element.name)\", of: \"\(schemaName)\")"
    }
    guard !element.parameters.isEmpty else { return "encoder.encode(name: \"\(element.name)\")" }
    let labels = element.wireLabels
    let parts = element.canonicalOrder.map { place in
      "try encoder._$part(v\(place), \"\(labels[place])\", of: \"\(element.name)\")"
    }
    return """
      encoder._$payload(of: "\(element.name)", \(labels.count))
      \(parts.joined(separator: "\n"))
      """
  }

  private var decoding: String {
    let cases = nodes.text { element in
      guard element.isSent else { return nil }
      let former = element.formerName.map { ", formerly: \"\($0)\"" } ?? ""
      let hasPayload = !element.parameters.isEmpty
      return """
        if try action.finds("\(element.name)"\(former), hasPayload: \(hasPayload), &decoder) {
        \(hasPayload ? reading(element) : "self = .\(element.identifier)\nreturn")
        }
        """
    }
    let names = nodes.text { $0.isSent ? "names.append(\"\($0.name)\")" : nil }
    let count = nodes.cases.filter(\.isSent).count
    let list =
      names.isEmpty
      ? "let names: [Swift.String] = []"
      : "var names: [Swift.String] = []\nnames.reserveCapacity(\(count))\n\(names)"
    return """
      \(access)nonisolated init(
      from decoder: inout \(module)CBORDecoder
      ) throws(\(module)CodecError) {
      let action = try \(module)_$ChoiceReader(&decoder, of: "action")
      \(cases)
      \(list)
      throw action.unknown(names, &decoder)
      }
      """
  }

  private func reading(_ element: EnumCase) -> String {
    let isCanonical = element.canonicalOrder == Array(element.parameters.indices)
    let lines =
      element.parameters.count == 1
      ? only(element)
      : """
      \(isCanonical ? ordered(element) : shuffled(element))
      self = \(element.expression(of: element.partNames))
      """
    return """
      do throws(\(module)CodecError) {
      \(lines)
      return
      } catch {
      throw error.inside(.name("\(element.name)"))
      }
      """
  }

  /// Reads the only part in one call, because a part that cannot exist would cause a
  /// compiler warning.
  private func only(_ element: EnumCase) -> String {
    let constructor = "Self.\(element.identifier)"
    return """
      var parts = try \(module)_$FieldReader(&decoder)
      self = try parts._$only("\(element.wireLabels[0])", &decoder, \(constructor))
      """
  }

  /// Reads parts whose order on the wire is that of their declaration.
  private func ordered(_ element: EnumCase) -> String {
    let labels = element.wireLabels.map { "\"\($0)\"" }
    let names = "\(module)_$FieldReader.Names([\(labels.joined(separator: ", "))])"
    let parts = zip(element.parameters, labels).enumerated().map { place, part in
      "let v\(place): \(part.0.type) = try parts._$part(\(part.1), \(names), &decoder)"
    }
    return """
      var parts = try \(module)_$FieldReader(&decoder)
      \(parts.joined(separator: "\n"))
      try parts.finish(\(names), &decoder)
      """
  }

  /// Reads parts with another order on the wire: finds all, then reads them in the declared order.
  private func shuffled(_ element: EnumCase) -> String {
    let labels = element.wireLabels.map { "\"\($0)\"" }
    let order = element.canonicalOrder.map(String.init).joined(separator: ", ")
    let list = labels.joined(separator: ", ")
    let parts = zip(element.parameters, labels).enumerated().map { place, part in
      "let v\(place): \(part.0.type) = try parts._$part(\(place), of: \(part.1))"
    }
    return """
      var parts = try \(module)_$ShuffledReader([\(list)], order: [\(order)], &decoder)
      \(parts.joined(separator: "\n"))
      """
  }
}

extension EnumCase {
  /// Whether a client may send the case.
  fileprivate var isSent: Bool {
    declaration.attributes.attribute(named: "ReplicationIgnored") == nil && !isUnavailable
  }

  fileprivate var formerName: String? {
    declaration.attributes.attribute(named: "Replicated")?.text(labelled: "formerly")
  }

  /// The names of the parts: their labels, or their indices.
  fileprivate var wireLabels: [String] {
    parameters.enumerated().map { $1.label?.filter { $0 != "`" } ?? "_\($0)" }
  }

  /// The indices of the parts in the order of their labels' encodings.
  fileprivate var canonicalOrder: [Int] { StateNameDigest.canonicalOrder(of: wireLabels) }
}
