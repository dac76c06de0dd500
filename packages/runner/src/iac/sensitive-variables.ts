import { maxVariableName } from '@sluice/contract/runner-protocol/constants'
import { type ConfigurationFile, readJsonBlocks, readStatements } from './configuration.ts'

/** Returns the names of the input variables that a file marks as sensitive or ephemeral, if the tool accepts them. */
export const findSensitiveVariables = (file: ConfigurationFile): string[] =>
  (file.file.endsWith('.json') ? parseJson(file) : parseHcl(file)).filter(
    (name) => name.length <= maxVariableName && identifier.test(name),
  )

const identifier = /^[\p{L}_][\p{L}\p{N}_-]*$/u

const marks = ['sensitive', 'ephemeral']

function parseHcl({ text }: ConfigurationFile): string[] {
  const names: string[] = []
  for (const { words, blocks } of readStatements(text)) {
    const [outer] = blocks
    if (blocks.length !== 1 || outer?.type !== 'variable') continue
    const [name = '', value] = words
    if (marks.includes(name) && value === 'true') names.push(outer.label)
  }
  return names
}

const parseJson = (file: ConfigurationFile): string[] =>
  readJsonBlocks(file, 'variable').flatMap((variables) =>
    Object.entries(variables).flatMap(([name, declared]) =>
      [declared].flat().some((one) => marks.some((mark) => Object(one)[mark] === true)) ? [name] : [],
    ),
  )
