import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseBoundedJson } from '@sluice/contract/bounded-json'
import type { ReportedWarning } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { ourFile } from './backend.ts'

/** Where a configuration says that its state is kept: the type of its `backend` block, or `cloud`. */
export type DeclaredBackend = { type: string; file: string; line?: number }

/** A folder that programs write to: nothing leads out of it. */
type Place = { directory: string; attempt: Pick<Attempt, 'directory' | 'result'> }

/** Larger files are not read. Bytes. */
const maxBytes = 1024 * 1024
const configurationFile = /\.(?:tf|tofu)(?:\.json)?$/

/** Returns what the root module declares; a `cloud` block before all else. Undefined where it declares nothing. */
export async function findDeclaredBackend({ directory, attempt }: Place): Promise<DeclaredBackend | undefined> {
  const names = (await readdir(directory)).filter((name) => configurationFile.test(name) && name !== ourFile).sort()
  const declared: DeclaredBackend[] = []
  for (const file of names) {
    const result = await attempt.result(join(relative(attempt.directory, directory), file), maxBytes)
    if (!result || !('content' in result)) continue
    const text = result.content.toString()
    declared.push(...(file.endsWith('.json') ? inJson(text) : inHcl(text)).map((found) => ({ ...found, file })))
  }
  return declared.find(({ type }) => type === 'cloud') ?? declared[0]
}

/**
 * Throws for a `cloud` block in the first plan of a workspace whose state Sluice keeps: the plan would create a second
 * time what the state there knows.
 */
export function rejectCloudBlock(declared: DeclaredBackend | undefined): void {
  if (declared?.type !== 'cloud') return
  throw new StepFailure('iacInitFailed', `The configuration has a cloud block: see ${placeOf(declared)}.`, {
    description:
      'Sluice keeps the state of this workspace and runs the tool itself. Remove the `cloud` block. If resources exist ' +
      'already, move their state to a backend such as `s3` and set `workspace: null` in the step, or import them.',
  })
}

/** Warns that the state of a declared backend is not read. For plans of a workspace without a state. */
export const warnOfDeclaredBackend = (declared: DeclaredBackend): ReportedWarning => ({
  summary: `The state in the backend "${declared.type}" is not read`,
  detail:
    'Sluice keeps the state of this workspace, and has none yet: this plan creates everything, also what the backend ' +
    'of the configuration knows already. To use the state there, set `workspace: null` in the step.',
  file: declared.file,
  ...(declared.line !== undefined && { line: declared.line }),
})

const placeOf = ({ file, line }: DeclaredBackend): string => (line === undefined ? file : `${file} line ${line}`)

type Found = Omit<DeclaredBackend, 'file'>

/** Comments, heredocs and texts that do not end go on to the end of the file: each character is read once. */
const tokens =
  /(?:#|\/\/)[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|<<-?(\w+)\r?(?=\n)[\s\S]*?(?:\n[ \t]*\1\b|$)|"(?:\\.|[^"\\\n])*(?:"|\n|$)|[{}\n]|[\w-]+/g

/** Follows the braces of HCL as far as it takes to see the blocks of `terraform`. */
function inHcl(text: string): Found[] {
  const found: Found[] = []
  const blocks: string[] = []
  let header: string[] = []
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '{') {
      const [name = '', label = ''] = header
      const type = name === 'backend' ? label.replaceAll('"', '') : name
      const isBackend = (name === 'backend' && label !== '') || name === 'cloud'
      // The first of each counts: to find the line of a hundred thousand would take minutes.
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

function inJson(text: string): Found[] {
  return settingsIn(text).flatMap((one) => {
    const backends = [Object(one).backend].flat().flatMap((backend) => Object.keys(Object(backend)))
    return [...('cloud' in Object(one) ? ['cloud'] : []), ...backends].map((type) => ({ type }))
  })
}

/** The `terraform` blocks of a file in JSON; none where the tool will report what is wrong with it. */
function settingsIn(text: string): unknown[] {
  try {
    return [Object(parseBoundedJson(text)).terraform ?? []].flat()
  } catch {
    return []
  }
}
