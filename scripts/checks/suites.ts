import { readFileSync } from 'node:fs'
import type { Tool } from './tools.ts'

/** A program that checks something: a number of tests, or one check that holds or not. */
export type Suite = {
  name: string
  /** What has broken when it fails. */
  guards: string
  command: readonly string[]
  /** Words that choose test files, for suites of vitest that run only some; another choice may take their place. */
  files?: readonly string[]
  /** It is stopped after so long, far more than it takes on two quiet cores. Seconds. */
  limitS: number
  /** What it cannot do without; it is skipped where that cannot be installed. */
  tools?: readonly Tool[]
  isOnPostgres?: true
  /** Which of its failed tests may run once more: any, only waits without progress, or none. */
  secondChance: 'any' | 'stalled' | 'never'
  /** It takes longer than all others together, so it runs only when it is named. */
  isOnlyByName?: true
  env?: Readonly<Record<string, string>>
}

/** Suites that run one after the other, beside those of other lanes. */
export type Lane = readonly Suite[]

/** Lanes that run at the same time. What follows starts when all of them have ended. */
export type Stage = readonly Lane[]

const postgres: Tool = { program: 'initdb', package: 'postgresql' }
const browser: Tool = { program: 'chromium-headless-shell', package: 'chromium-headless-shell', or: 'chromium' }
const bubblewrap: Tool = { program: 'bwrap', package: 'bubblewrap' }
const buildah: Tool = { program: 'buildah', package: 'buildah' }
const debootstrap: Tool = { program: 'debootstrap', package: 'debootstrap' }

const script = (name: string): string[] => ['npm', 'run', '--silent', name, '--']

/** Suites of vitest that need nothing but Node. */
const tests = (name: string, guards: string, command: readonly string[], limitS: number): Suite => ({
  ...{ name, guards, command, limitS, secondChance: 'any' },
})

const check = (name: string, guards: string, command: readonly string[], limitS: number): Suite => ({
  ...{ name, guards, command, limitS, secondChance: 'never' },
})

const onPostgres = (suite: Suite): Suite => ({
  ...suite,
  isOnPostgres: true,
  tools: [postgres, ...(suite.tools ?? [])],
})

/** Every change must pass these: `.ci/run`. */
export const gate = (): readonly Stage[] => [
  [
    [
      check('lint', 'Format and lint rules', script('lint'), 120),
      check('types', 'Types of all packages', script('typecheck'), 300),
      check('imports', 'Which module may import which', script('imports'), 120),
    ],
  ],
  [[tests('test', "The README's test command", readmeTestCommand(), 900)]],
  [
    [
      onPostgres(
        tests(
          'database',
          'Database layer, queues, row-level security and schema on PostgreSQL',
          script('test:database'),
          420,
        ),
      ),
    ],
  ],
  [
    [
      {
        ...tests('pages', 'Every page of the console in a browser', script('test:e2e'), 300),
        files: ['every-page'],
        tools: [browser],
      },
    ],
  ],
  [
    [
      onPostgres({
        ...tests(
          'crash-main',
          'Releases whose service is killed at each call, or whose answers are lost',
          script('test:crash'),
          420,
        ),
        files: ['kill-points', 'lost-answers'],
        env: { CRASH_MOMENTS: 'all' },
        secondChance: 'stalled',
      }),
    ],
  ],
]

/** Everything else: `scripts/verify`. */
export const verify = (): readonly Stage[] => [
  // The first lane takes one core at most, so the second one has the other.
  [
    [
      {
        ...check('images', 'Images of service and runner', ['scripts/check-images'], 900),
        tools: [buildah, debootstrap],
      },
      {
        ...check('packages', 'Published packages in an empty folder', ['scripts/check-packages'], 600),
        tools: [browser],
      },
      tests('provider', "The AWS provider on Sluice's own steps", script('test:provider'), 900),
      check(
        'sim-provider',
        'The AWS provider on the simulated cloud',
        ['packages/cloud-sim/checks/provider/run.sh'],
        900,
      ),
      onPostgres({
        ...tests(
          'storm',
          'A cluster under load, whose parts are killed, frozen and cut off',
          script('test:storm'),
          900,
        ),
        secondChance: 'never',
      }),
    ],
    [
      { ...tests('wide', 'Everything that can happen to a release', script('test:wide'), 1_500), tools: [buildah] },
      onPostgres(tests('postgres', 'Everything that uses a database, on PostgreSQL', script('test:postgres'), 1_500)),
      onPostgres({
        ...tests('fuzz', 'Random requests and templates', script('test:fuzz'), 600),
        secondChance: 'never',
      }),
      check('boto3', 'The simulated cloud as boto3 sees it', ['packages/cloud-sim/checks/boto3/run.sh'], 300),
      check('mutations', 'Requests with one error are rejected by the simulated cloud', script('test:mutations'), 120),
      onPostgres(check('bench', 'Every benchmark runs to its end', script('bench:check'), 900)),
      { ...tests('e2e', 'The console in a browser', script('test:e2e'), 900), tools: [browser] },
    ],
  ],
  // Other suites beside them would change what they measure.
  [[tests('timing', 'What depends on the clock of the machine', script('test:timing'), 600)]],
  [
    [
      {
        ...tests('hostile', 'Programs of one tenant attack others', script('test:hostile'), 600),
        tools: [bubblewrap],
        secondChance: 'never',
      },
    ],
  ],
  [
    [
      onPostgres({
        ...tests('crash', 'The service is killed and frozen', script('test:crash'), 1_800),
        secondChance: 'stalled',
      }),
      onPostgres({
        ...tests('crash-all', 'The same, killed at every moment and not at a sample', script('test:crash'), 3_600),
        secondChance: 'stalled',
        isOnlyByName: true,
        env: { CRASH_MOMENTS: 'all' },
      }),
      onPostgres({
        ...tests('storm-hour', 'One hour of the storm', script('test:storm'), 6_000),
        secondChance: 'never',
        isOnlyByName: true,
        env: { STORM_MINUTES: '60' },
      }),
    ],
  ],
]

/** The suites of `stages` that `names` names; without names, all but those that run only by name. */
export function select(stages: readonly Stage[], names: readonly string[]): Stage[] {
  const known = stages.flat(2).map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no suite ${unknown.join(', ')}. Choose from: ${known.join(', ')}.`)
  const isWanted = ({ name, isOnlyByName }: Suite) => (names.length === 0 ? !isOnlyByName : names.includes(name))
  const wanted = stages.map((stage) => stage.map((lane) => lane.filter(isWanted)).filter((lane) => lane.length > 0))
  return wanted.filter((stage) => stage.length > 0)
}

/** The README's command that runs the tests, without the installation, which `.ci/run` has done. */
function readmeTestCommand(): string[] {
  const [, command] = /^\s*(?:\$ )?npm ci && (npm test)\s*$/m.exec(readFileSync('README.md', 'utf8')) ?? []
  if (command === undefined) throw new Error('README.md has no line `npm ci && npm test`. Add it, or change the gate.')
  return [...command.split(' '), '--']
}
