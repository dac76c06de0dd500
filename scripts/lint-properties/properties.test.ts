import ts from 'typescript'
import { expect, test } from 'vitest'
import { unknownProperties } from './properties.ts'

const declarations = `
type Change = { status: string; error?: { code: string } }
declare function decide<R>(change: () => Change | undefined, result: () => R): R
declare function infer<T extends Change>(change: () => T): T
declare function save(change: () => Change | undefined): void
declare const rest: { anything: number }
`

/** Returns "line: name" of each unknown property in `code`, which follows {@link declarations}. */
function unknownOf(code: string): string[] {
  const path = '/program.ts'
  const options: ts.CompilerOptions = { strict: true, noLib: true, noEmit: true }
  const host = ts.createCompilerHost(options)
  const readSource = host.getSourceFile.bind(host)
  host.getSourceFile = (name, target) =>
    name === path ? ts.createSourceFile(name, declarations + code, target, true) : readSource(name, target)
  const program = ts.createProgram([path], options, host)
  const before = declarations.split('\n').length - 1
  return unknownProperties(program, () => true).map(({ line, name }) => `${line - before}: ${name}`)
}

test('a property that the expected result of a callback does not have is reported', () => {
  expect(unknownOf("save(() => ({ status: 'SUCCESS', standing: 1 }))")).toEqual(['1: standing'])
  expect(unknownOf("save(() => ({ status: 'ERROR', error: { code: 'X', said: 1 } }))")).toEqual(['1: said'])
  expect(unknownOf("decide(() => {\n  return { status: 'SUCCESS', told: 1 }\n}, () => 1)")).toEqual(['2: told'])
})

test('properties of open, inferred and unknown types are accepted', () => {
  expect(unknownOf("save(() => ({ status: 'SUCCESS', error: { code: 'X' } }))")).toEqual([])
  expect(unknownOf("infer(() => ({ status: 'SUCCESS', told: 1 }))")).toEqual([])
  expect(unknownOf("save(() => ({ status: 'SUCCESS', ...rest }))")).toEqual([])
  expect(unknownOf('const value: unknown = { told: 1 }')).toEqual([])
  expect(unknownOf('const labels: { [name: string]: number } = { told: 1 }')).toEqual([])
  expect(unknownOf('const free = { told: 1 }')).toEqual([])
})
