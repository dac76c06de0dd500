import { createNoIsolation } from '../isolation/none.ts'
import { Mask } from '../log/mask.ts'
import { StepLog } from '../log/step-log.ts'
import { createAttemptFolders, ensureFolder, filesPath } from './folders.ts'
import { Programs } from './programs.ts'

/** Creates the part of an attempt that runs programs. Not isolated by default. */
export async function createAttempt(
  directory: string,
  isolation = createNoIsolation(['this is a test']),
  signal = new AbortController().signal,
) {
  const files = ensureFolder(filesPath(ensureFolder(directory)))
  const mask = new Mask()
  const position = { sequence: 0, offsets: {}, bytes: 0, text: '' }
  const log = new StepLog({ position, mask, store: async () => {} })
  const stopTimeouts = { afterIntMs: 300, afterTermMs: 300 }
  const programs = new Programs({
    organizationId: 'org_1',
    directory,
    log,
    mask,
    signal,
    detached: new AbortController().signal,
    stopTimeouts,
    isolation,
  })
  return {
    directory: files,
    folders: createAttemptFolders(directory),
    log: (line: string) => log.add('own', 0, line),
    lastLogLines: () => log.lastLines,
    runProgram: programs.run.bind(programs),
    readStdout: programs.readStdout.bind(programs),
    readResult: programs.readResult.bind(programs),
  }
}
