import ts from 'typescript'

/** Property of an object literal that the type expected at this place does not have. */
export type UnknownProperty = { file: ts.SourceFile; line: number; name: string; expected: string }

/**
 * Returns properties that no member of the expected type has, in the files that `isChecked` accepts.
 *
 * The compiler rejects such a property only in a literal that is assigned directly. In the result of a callback whose
 * type parameter is inferred, a renamed property stays unnoticed and its value is lost.
 */
export function unknownProperties(program: ts.Program, isChecked: (path: string) => boolean): UnknownProperty[] {
  const checker = program.getTypeChecker()
  return program.getSourceFiles().flatMap((file) => {
    if (file.isDeclarationFile || !isChecked(file.fileName)) return []
    return objectLiterals(file).flatMap((literal) => unknownIn(literal, checker, file))
  })
}

function objectLiterals(file: ts.SourceFile): ts.ObjectLiteralExpression[] {
  const found: ts.ObjectLiteralExpression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function unknownIn(
  literal: ts.ObjectLiteralExpression,
  checker: ts.TypeChecker,
  file: ts.SourceFile,
): UnknownProperty[] {
  const expected = checker.getContextualType(literal)
  if (!expected || !isClosed(expected, checker)) return []
  return literal.properties.flatMap((property) => {
    const name = nameOf(property)
    if (name === undefined || hasProperty(expected, name)) return []
    const { line } = file.getLineAndCharacterOfPosition(property.getStart(file))
    return [{ file, line: line + 1, name, expected: checker.typeToString(expected) }]
  })
}

function nameOf({ name }: ts.ObjectLiteralElementLike): string | undefined {
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined
}

/** Reports whether the type says which properties an object may have. */
function isClosed(type: ts.Type, checker: ts.TypeChecker): boolean {
  if (type.isUnion()) return type.types.every((member) => isPrimitive(member) || isClosed(member, checker))
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive | ts.TypeFlags.Instantiable)) {
    return false
  }
  if (type.isIntersection() && !type.types.every((member) => isClosed(member, checker))) return false
  if (checker.getIndexInfosOfType(type).length > 0) return false
  return checker.getPropertiesOfType(type).length > 0
}

function isPrimitive(type: ts.Type): boolean {
  const primitives =
    ts.TypeFlags.StringLike |
    ts.TypeFlags.NumberLike |
    ts.TypeFlags.BigIntLike |
    ts.TypeFlags.BooleanLike |
    ts.TypeFlags.Undefined |
    ts.TypeFlags.Null |
    ts.TypeFlags.Void
  return (type.flags & primitives) !== 0
}

function hasProperty(type: ts.Type, name: string): boolean {
  if (type.isUnion()) return type.types.some((member) => hasProperty(member, name))
  return type.getProperty(name) !== undefined
}
