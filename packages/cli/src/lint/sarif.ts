import { titles } from '@sluice/server/interface/source-text/codes'
import type { FileProblem } from '@sluice/server/interface/source-text/fault'
import { version } from '../version.ts'
import type { Report } from './lint.ts'
import { relativePath } from './relative-path.ts'

/** Returns the report in the Static Analysis Results Interchange Format, 2.1.0, for code scanning and editors. */
export const sarifOf = ({ faults, unreadable }: Report) => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'sluice lint', version, rules: [...titles].map(ruleOf) } },
      columnKind: 'utf16CodeUnits',
      invocations: [
        {
          executionSuccessful: unreadable.length === 0,
          toolExecutionNotifications: unreadable.map(({ file, reason }) => ({
            level: 'error',
            message: { text: `The file cannot be read: ${reason}.` },
            locations: [{ physicalLocation: { artifactLocation: artifactOf(file) } }],
          })),
        },
      ],
      results: faults.map(resultOf),
    },
  ],
})

const codes = [...titles.keys()]

const ruleOf = ([id, title]: [string, string]) => ({ id, shortDescription: { text: title } })

const resultOf = ({ file, line, column, code, message }: FileProblem) => ({
  ruleId: code,
  ruleIndex: codes.indexOf(code),
  level: 'error',
  message: { text: message },
  locations: [
    {
      physicalLocation: {
        artifactLocation: artifactOf(file),
        region: { startLine: line, startColumn: column },
      },
    },
  ],
})

const artifactOf = (file: string) => ({ uri: relativePath(file).split('/').map(encodeURIComponent).join('/') })
