import { notIsolated } from '../isolation/none.ts'
import { Mask } from '../log/mask.ts'
import { StepLog } from '../log/step-log.ts'
import { filesIn, furtherFolders, makeFolder } from './folders.ts'
import { Programs } from './programs.ts'

/** What an attempt in this directory runs programs with, as they are. */
export async function attemptIn(
  directory: string,
  isolation = notIsolated(['this is a test']),
  signal = new AbortController().signal,
) {
  const files = makeFolder(filesIn(makeFolder(directory)))
  const mask = new Mask()
  const place = { sequence: 0, offsets: {}, bytes: 0, text: '' }
  const log = new StepLog({ place, mask, store: async () => {} })
  const stopPace = { afterIntMs: 300, afterTermMs: 300 }
  const programs = new Programs({
    organizationId: 'org_1',
    directory,
    log,
    mask,
    signal,
    left: new AbortController().signal,
    stopPace,
    isolation,
  })
  return {
    directory: files,
    folders: furtherFolders(directory),
    log: (line: string) => log.add('own', 0, line),
    lastLines: () => log.lastLines,
    process: programs.run.bind(programs),
    stdoutOf: programs.stdoutOf.bind(programs),
    result: programs.result.bind(programs),
  }
}
