import { expect, test } from 'vitest'
import { readDiagnostic } from './diagnostic.ts'
import { createToolFailure } from './failure.ts'
import { parseLine } from './messages.ts'

type Json = Record<string, unknown>

const eventOf = (diagnostic: Json) =>
  parseLine(JSON.stringify({ '@message': 'Error', type: 'diagnostic', diagnostic })).event
/** Creates events without the maximum length of a line. */
const eventsOf = (diagnostic: Json) => {
  const read = readDiagnostic(diagnostic)
  return read ? [{ kind: 'error' as const, diagnostic: read }] : []
}
const failureOf = (...diagnostics: Json[]) =>
  createToolFailure(
    'iacApplyFailed',
    'Not every change could be made.',
    diagnostics.flatMap((one) => eventOf(one) ?? []),
  ).error

const denied = (line: number, address: string): Json => ({
  severity: 'error',
  summary: 'creating S3 bucket: AccessDenied',
  detail: '',
  address,
  range: { filename: 'modules/store/main.tf', start: { line, column: 1 } },
  snippet: { context: 'resource "aws_s3_bucket" "one"', code: 'resource "aws_s3_bucket" "one" {', values: [] },
})

test('an error at several locations is listed once with all of them', () => {
  const error = failureOf(
    denied(3, 'module.store.aws_s3_bucket.one[0]'),
    denied(3, 'module.store.aws_s3_bucket.one[1]'),
    denied(3, 'module.store.aws_s3_bucket.one[1]'),
    denied(9, 'module.store.aws_s3_bucket.two'),
  )
  expect(error).toEqual({
    code: 'Sluice:Iac:APPLY_FAILED',
    message: 'Not every change could be made. creating S3 bucket: AccessDenied.',
    details: [
      {
        title: 'creating S3 bucket: AccessDenied',
        render: 'object',
        object: {
          file: 'modules/store/main.tf',
          line: 3,
          resource: 'module.store.aws_s3_bucket.one[0]',
          snippet: 'resource "aws_s3_bucket" "one" {',
          alsoAt: [
            'modules/store/main.tf:3, module.store.aws_s3_bucket.one[1]',
            'modules/store/main.tf:9, module.store.aws_s3_bucket.two',
          ],
        },
      },
    ],
  })
})

test('a warning is not an error, and an invalid diagnostic is a plain line', () => {
  expect(eventOf({ ...denied(3, 'a.b'), severity: 'warning' })).toBeUndefined()
  for (const diagnostic of [null, 'x', { severity: 'error' }, { severity: 'error', summary: 7 }])
    expect(parseLine(JSON.stringify({ '@message': 'said', diagnostic }))).toEqual({ line: 'said' })
})

test('long and repeated errors are truncated', () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ ...denied(1, 'a.b'), summary: `Error ${index}` }))
  expect(failureOf(...many).details).toHaveLength(21)
  expect(failureOf(...many).details?.at(-1)?.items).toEqual(['10 more errors are in the log.'])
  const long = failureOf({ ...denied(1, 'a.b'), detail: 'x'.repeat(1_000_000) })
  expect(JSON.stringify(long).length).toBeLessThan(10_000)

  // 20 errors at 30 locations each must fit into the maximum size of an outcome in the API.
  const everywhere = Array.from({ length: 600 }, (_, index): Json => {
    const at = `${index}${'x'.repeat(40_000)}`
    return {
      ...denied(index, at),
      summary: `${index % 20}${'y'.repeat(40_000)}`,
      range: { filename: at, start: { line: index } },
      snippet: { code: at, values: Array.from({ length: 30 }, () => ({ traversal: at, statement: at })) },
    }
  })
  expect(
    JSON.stringify(createToolFailure('iacApplyFailed', '', everywhere.flatMap(eventsOf)).error).length,
  ).toBeLessThan(3_000_000)
})
