import type { ReportedWarning } from '@sluice/contract/runner-protocol'
import { StepFailure } from '../failure.ts'
import { type ConfigurationFile, readJsonBlocks, readStatements } from './configuration.ts'

/** The backend that a configuration declares for its state: the type of its `backend` block, or `cloud`. */
export type DeclaredBackend = { type: string; file: string; line?: number }

/** Returns the backends that a file declares: at most one `cloud` block and one other. */
export function findBackends(file: ConfigurationFile): DeclaredBackend[] {
  const found = file.file.endsWith('.json') ? parseJson(file) : parseHcl(file)
  const others = found.filter(({ type }) => type !== 'cloud')
  return [...found.filter(({ type }) => type === 'cloud').slice(0, 1), ...others.slice(0, 1)].map((block) => ({
    ...block,
    file: file.file,
  }))
}

/**
 * Rejects a `cloud` block in the first plan of a workspace whose state Sluice keeps. The plan would create the
 * resources of the state in that cloud a second time.
 */
export function rejectCloudBlock(declared: DeclaredBackend | undefined): void {
  if (declared?.type !== 'cloud') return
  throw new StepFailure(
    'iacInitFailed',
    `The configuration has an unsupported cloud block: ${formatLocation(declared)}.`,
    {
      description:
        'Sluice keeps the state of this workspace and runs the tool itself. Remove the `cloud` block. If resources exist ' +
        'already, move their state to a backend such as `s3` and set `workspace: null` in the step, or import them.',
    },
  )
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

/** Finds blocks directly in `terraform`. */
function parseHcl({ text }: ConfigurationFile): FoundBlock[] {
  const found: FoundBlock[] = []
  for (const { words, blocks, opensBlock, index } of readStatements(text)) {
    const [name = '', label = ''] = words
    const isBackend = (name === 'backend' && label !== '') || name === 'cloud'
    if (!opensBlock || !isBackend || blocks.length !== 1 || blocks[0]?.type !== 'terraform') continue
    // Only the first of each type: computing the line of a hundred thousand blocks takes minutes.
    if (found.some((one) => (one.type === 'cloud') === (name === 'cloud'))) continue
    found.push({ type: name === 'backend' ? label : name, line: text.slice(0, index).split('\n').length })
  }
  return found
}

const parseJson = (file: ConfigurationFile): FoundBlock[] =>
  readJsonBlocks(file, 'terraform').flatMap((one) => {
    const backends = [Reflect.get(one, 'backend')].flat().flatMap((backend) => Object.keys(Object(backend)))
    return [...('cloud' in one ? ['cloud'] : []), ...backends].map((type) => ({ type }))
  })
