import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { reporters } from './scripts/checks/reporters.ts'

/** Those that take minutes go first, so that none of them is left over at the end, alone on all cores. */
const longest = [
  'pipelines',
  'kills',
  'holds',
  'iac',
  'analysis-service',
  'analysis-function',
  'archiving',
  'cloud-tasks',
  'builds',
  'frozen',
  'groups',
  'kill-points',
  'rollback',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
      return at < 0 ? longest.length : at
    }
    return files.toSorted((a, b) => place(a) - place(b))
  }
}

/** The crash suite: processes are killed and frozen for real, which takes minutes. */
export default defineConfig({
  test: {
    include: ['packages/*/crash/**/*.test.ts'],
    globalSetup: ['packages/server/src/testing/global-setup.ts', 'packages/server/crash/global-setup.ts'],
    // Far more than a test takes on a machine that has nothing else to do.
    testTimeout: 1_200_000,
    // What a test leaves is a process to end and a database to drop, for which its server first writes all of it to disk.
    hookTimeout: 240_000,
    pool: 'forks',
    isolate: false, // a process takes many files, and begins with the modules of the server once
    // Also on few cores: the files mostly wait for processes to start and for time to pass.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    reporters,
  },
})
