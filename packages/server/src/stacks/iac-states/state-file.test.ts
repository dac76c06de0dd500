import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { readState, withSerial } from './state-file.ts'

test(
  'a restored state is unchanged except for its serial',
  everyCase(
    [
      '{\n  "version": 4,\n  "serial": 3,\n  "lineage": "a",\n  "outputs": {"n": {"value": 12345678901234567890}}\n}\n',
      '{"outputs":{"serial":{"value":1e400},"a":{"value":"\\"serial\\":3"}},"version":4,"lineage":"serial","serial":3}',
      '{"resources":[],"serial" : 3 ,"version":4,"lineage":"a"}',
    ],
    (text) => {
      const restored = withSerial(Buffer.from(text), 7).toString()
      expect(restored).toBe(text.replace(/("serial"\s*:\s*)3(?=\s*[,}\n])(?!\\)/, '$17'))
      expect(readState(Buffer.from(restored))?.serial).toBe(7)
    },
  ),
)

test('a state may be nested as deeply as the tools write it', () => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const text = `{"version":4,"serial":1,"lineage":"a","outputs":{"a":{"value":${deep}}}}`
  expect(readState(Buffer.from(text))?.serial).toBe(1)
  expect(readState(withSerial(Buffer.from(text), 2))?.serial).toBe(2)
})
