import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseBoundedJson } from '@sluice/contract/bounded-json'
import type { ReportedWarning } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { overrideFile } from './backend.ts'

/** The backend that a configuration declares for its state: the type of its `backend` block, or `cloud`. */
export type DeclaredBackend = { type: string; file: string; line?: number }

/** A folder that programs have written to. Read it with `readResult` only, which does not follow links. */
type ConfigurationFolder = { directory: string; attempt: Pick<Attempt, 'directory' | 'readResult'> }

/** Maximum size of a file to read, in bytes. */
const maxBytes = 1024 * 1024
const configurationFile = /\.(?:tf|tofu)(?:\.json)?$/

/** Returns the backend of the root module, with priority for a `cloud` block; undefined if none is declared. */
export async function findDeclaredBackend({
  directory,
  attempt,
}: ConfigurationFolder): Promise<DeclaredBackend | undefined> {
  const names = (await readdir(directory))
    .filter((name) => configurationFile.test(name) && name !== overrideFile)
    .sort()
  const declared: DeclaredBackend[] = []
  for (const file of names) {
    const result = await attempt.readResult(join(relative(attempt.directory, directory), file), maxBytes)
    if (!result || !('content' in result)) continue
    const text = result.content.toString()
    declared.push(...(file.endsWith('.json') ? parseJson(text) : parseHcl(text)).map((found) => ({ ...found, file })))
  }
  return declared.find(({ type }) => type === 'cloud') ?? declared[0]
}

/**
 * Rejects a `cloud` block in the first plan of a workspace whose state Sluice keeps. The plan would create the
 * resources of the state in that cloud a second time.
 */
export function rejectCloudBlock(declared: DeclaredBackend | undefined): void {
  if (declared?.type !== 'cloud') return
  throw new StepFailure('iacInitFailed', `The configuration has a cloud block: see ${formatLocation(declared)}.`, {
    description:
      'Sluice keeps the state of this workspace and runs the tool itself. Remove the `cloud` block. If resources exist ' +
      'already, move their state to a backend such as `s3` and set `workspace: null` in the step, or import them.',
  })
}

/** Warns in a plan of a workspace without a state that the state of the declared backend is not read. */
export const createBackendWarning = (declared: DeclaredBackend): ReportedWarning => ({
  summary: `The state in the backend "${declared.type}" is not read`,
  detail:
    'Sluice keeps the state of this workspace and has no state yet. So this plan creates all resources, even those in ' +
    'the state of the declared backend. To use that state, set `workspace: null` in the step.',
  file: declared.file,
  ...(declared.line !== undefined && { line: declared.line }),
})

const formatLocation = ({ file, line }: DeclaredBackend): string => (line === undefined ? file : `${file} line ${line}`)

type FoundBlock = Omit<DeclaredBackend, 'file'>

/** Unterminated comments, heredocs and strings match up to the end of the file, so that each character is read once. */
const tokens =
  /(?:#|\/\/)[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|<<-?(\w+)\r?(?=\n)[\s\S]*?(?:\n[ \t]*\1\b|$)|"(?:\\.|[^"\\\n])*(?:"|\n|$)|[{}\n]|[\w-]+/g

/** Tracks the braces of HCL to find blocks directly in `terraform`. */
function parseHcl(text: string): FoundBlock[] {
  const found: FoundBlock[] = []
  const blocks: string[] = []
  let header: string[] = []
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '{') {
      const [name = '', label = ''] = header
      const type = name === 'backend' ? label.replaceAll('"', '') : name
      const isBackend = (name === 'backend' && label !== '') || name === 'cloud'
      // Only the first of each type: computing the line of a hundred thousand blocks takes minutes.
      const isNew = !found.some((one) => (one.type === 'cloud') === (name === 'cloud'))
      if (isBackend && isNew && blocks.length === 1 && blocks[0] === 'terraform')
        found.push({ type, line: text.slice(0, index).split('\n').length })
      blocks.push(name)
    }
    if (token === '}') blocks.pop()
    if (!/^[\w"-]/.test(token)) header = []
    else if (header.length < 2) header.push(token)
  }
  return found
}

function parseJson(text: string): FoundBlock[] {
  return readTerraformBlocks(text).flatMap((one) => {
    const backends = [Object(one).backend].flat().flatMap((backend) => Object.keys(Object(backend)))
    return [...('cloud' in Object(one) ? ['cloud'] : []), ...backends].map((type) => ({ type }))
  })
}

/** Returns the `terraform` blocks of a JSON file; none if it is invalid, which the tool reports. */
function readTerraformBlocks(text: string): unknown[] {
  try {
    return [Object(parseBoundedJson(text)).terraform ?? []].flat()
  } catch {
    return []
  }
}
