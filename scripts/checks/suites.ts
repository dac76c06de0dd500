import { readFileSync } from 'node:fs'
import type { Tool } from './tools.ts'

/** Program that checks something: a number of tests, or one check that passes or fails. */
export type Suite = {
  name: string
  /** What is broken if it fails. */
  guards: string
  command: readonly string[]
  /** Words that choose test files of vitest. The second chance replaces them by one test. */
  files?: readonly string[]
  /** Time limit in seconds on two idle cores, far more than the suite takes: see `slowness.ts`. */
  limitS: number
  /** Required programs. The suite is skipped if they cannot be installed. */
  tools?: readonly Tool[]
  /** Whether it runs with a temporary PostgreSQL server. */
  isOnPostgres?: true
  /** Failed tests that may run again: any, only stalled waits, or none. */
  secondChance: 'any' | 'stalled' | 'never'
  /** Whether it runs only when it is named, because it takes longer than all the others combined. */
  isOnlyByName?: true
  env?: Readonly<Record<string, string>>
}

/** Suites that run one after another, concurrently with those of other lanes. */
export type Lane = readonly Suite[]

/** Lanes that run concurrently. The next stage starts when all have ended. */
export type Stage = readonly Lane[]

const browser: Tool = { program: 'chromium-headless-shell', package: 'chromium-headless-shell', or: 'chromium' }
const bubblewrap: Tool = { program: 'bwrap', package: 'bubblewrap' }
const buildah: Tool = { program: 'buildah', package: 'buildah' }
const slirp4netns: Tool = { program: 'slirp4netns', package: 'slirp4netns', isOptional: true }
const go: Tool = {
  program: 'go',
  package: 'golang-go',
  with: ['golang-github-masterminds-sprig-dev'],
  or: 'helm',
  isOptional: true,
}
const iproute2: Tool = { program: 'ip', package: 'iproute2' }
const debootstrap: Tool = { program: 'debootstrap', package: 'debootstrap' }
const postgres = { isOnPostgres: true, tools: [{ program: 'initdb', package: 'postgresql' }] } as const

const npm = (script: string): string[] => ['npm', 'run', '--silent', script, '--']

const suites: Record<string, Omit<Suite, 'name'>> = {
  lint: { guards: 'Format and lint rules', command: npm('lint'), limitS: 120, secondChance: 'never' },
  types: { guards: 'Types of all packages', command: npm('typecheck'), limitS: 300, secondChance: 'never' },
  imports: { guards: 'Which module may import which', command: npm('imports'), limitS: 120, secondChance: 'never' },
  properties: {
    guards: 'Object literals without properties that the expected type lacks',
    command: npm('lint:properties'),
    limitS: 300,
    secondChance: 'never',
  },
  test: { guards: "The README's test command", command: readmeTestCommand(), limitS: 900, secondChance: 'any' },
  database: {
    guards: 'Database layer, queues, row-level security and schema on PostgreSQL',
    command: npm('test:database'),
    limitS: 420,
    secondChance: 'any',
    ...postgres,
  },
  pages: {
    guards: 'Every page of the console in a browser',
    command: npm('test:e2e'),
    files: ['every-page'],
    limitS: 300,
    secondChance: 'any',
    tools: [browser],
  },
  'crash-main': {
    guards: 'Releases whose service is killed at each call, or whose answers are lost',
    command: npm('test:crash'),
    files: ['kill-points', 'lost-answers'],
    env: { CRASH_MOMENTS: 'all' },
    limitS: 420,
    secondChance: 'stalled',
    ...postgres,
  },
  images: {
    guards: 'Images of service and runner',
    command: ['scripts/check-images'],
    limitS: 900,
    secondChance: 'never',
    tools: [buildah, debootstrap],
  },
  installers: {
    guards: 'Composition and Kubernetes manifests, from an empty machine to the first release',
    command: ['scripts/check-installers'],
    limitS: 1_200,
    secondChance: 'never',
    tools: [buildah, debootstrap, bubblewrap, iproute2, ...postgres.tools],
  },
  packages: {
    guards: 'Published packages in an empty folder',
    command: ['scripts/check-packages'],
    limitS: 600,
    secondChance: 'never',
    tools: [browser],
  },
  'deploy-modules': {
    guards: 'The Terraform module, the Helm chart, the systemd units and the archive, each as its users start it',
    command: npm('test:deploy'),
    limitS: 1_500,
    secondChance: 'never',
    isOnPostgres: true,
    tools: [...postgres.tools, go],
  },
  provider: {
    guards: "The AWS provider on Sluice's own steps",
    command: npm('test:provider'),
    limitS: 900,
    secondChance: 'any',
  },
  'sim-provider': {
    guards: 'The AWS provider on the simulated cloud',
    command: ['packages/cloud-sim/checks/provider/run.sh'],
    limitS: 900,
    secondChance: 'never',
  },
  storm: {
    guards: 'A cluster under load, whose parts are killed, frozen and cut off',
    command: npm('test:storm'),
    limitS: 900,
    secondChance: 'never',
    ...postgres,
  },
  e2e: {
    guards: 'The console in a browser',
    command: npm('test:e2e'),
    limitS: 900,
    secondChance: 'any',
    tools: [browser],
  },
  boto3: {
    guards: 'The simulated cloud as boto3 sees it',
    command: ['packages/cloud-sim/checks/boto3/run.sh'],
    limitS: 300,
    secondChance: 'never',
  },
  botocore: {
    guards: 'The simulated cloud rejects what botocore rules out, and leaves nothing behind',
    command: ['packages/cloud-sim/checks/botocore/run.sh'],
    limitS: 300,
    secondChance: 'never',
  },
  moto: {
    guards: 'Every difference between the simulated cloud and moto is explained',
    command: ['packages/cloud-sim/checks/moto/run.sh'],
    limitS: 300,
    secondChance: 'never',
  },
  mutations: {
    guards: 'Requests with one error are rejected by the simulated cloud',
    command: npm('test:mutations'),
    limitS: 120,
    secondChance: 'never',
  },
  wide: {
    guards: 'Everything that can happen to a release',
    command: npm('test:wide'),
    limitS: 1_500,
    secondChance: 'any',
    tools: [{ ...buildah, isOptional: true }],
  },
  postgres: {
    guards: 'Everything that uses a database, on PostgreSQL',
    command: npm('test:postgres'),
    limitS: 1_500,
    secondChance: 'any',
    ...postgres,
  },
  fuzz: {
    guards: 'Random requests and templates',
    command: npm('test:fuzz'),
    limitS: 600,
    secondChance: 'never',
    ...postgres,
  },
  bench: {
    guards: 'Every benchmark runs to its end',
    command: npm('bench:check'),
    limitS: 900,
    secondChance: 'never',
    ...postgres,
  },
  timing: {
    guards: 'What depends on the clock of the machine',
    command: npm('test:timing'),
    limitS: 600,
    secondChance: 'any',
  },
  hostile: {
    guards: 'Programs of one tenant attack others',
    command: npm('test:hostile'),
    limitS: 600,
    secondChance: 'never',
    tools: [bubblewrap, slirp4netns],
  },
  crash: {
    guards: 'The service is killed and frozen',
    command: npm('test:crash'),
    limitS: 1_800,
    secondChance: 'stalled',
    ...postgres,
  },
  'crash-all': {
    guards: 'The same, killed at every moment and not at a sample',
    command: npm('test:crash'),
    env: { CRASH_MOMENTS: 'all' },
    limitS: 3_600,
    secondChance: 'stalled',
    isOnlyByName: true,
    ...postgres,
  },
  'storm-hour': {
    guards: 'One hour of the storm',
    command: npm('test:storm'),
    env: { STORM_MINUTES: '60' },
    limitS: 6_000,
    secondChance: 'never',
    isOnlyByName: true,
    ...postgres,
  },
}

/** Suites of `.ci/run`, which every change must pass. */
export const gate: readonly Stage[] = [
  [lane('lint', 'types', 'imports'), lane('properties')],
  // The browser leaves two thirds of its processor idle.
  [lane('test'), lane('pages')],
  [lane('database')],
  [lane('crash-main')],
]

/** Suites of `scripts/verify`. */
export const verify: readonly Stage[] = [
  [
    // Each uses one core at most, so that the other lane has the other core.
    lane(
      'images',
      'installers',
      'packages',
      'deploy-modules',
      'provider',
      'sim-provider',
      'storm',
      'e2e',
      'boto3',
      'botocore',
      'moto',
      'mutations',
    ),
    lane('wide', 'postgres', 'fuzz', 'bench'),
  ],
  [lane('timing')], // these two measure time, which concurrent suites would distort
  [lane('hostile')],
  [lane('crash')],
  [lane('crash-all', 'storm-hour')],
]

function lane(...names: string[]): Lane {
  return names.map((name) => {
    const suite = suites[name]
    if (!suite) throw new Error(`There is no suite ${name}`)
    return { ...suite, name }
  })
}

/** Returns the named suites of `stages`; without names, all except those that run only by name. */
export function select(stages: readonly Stage[], names: readonly string[]): Stage[] {
  const known = stages.flat(2).map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no suite ${unknown.join(', ')}. Choose from: ${known.join(', ')}.`)
  const isWanted = ({ name, isOnlyByName }: Suite) => (names.length === 0 ? !isOnlyByName : names.includes(name))
  const wanted = stages.map((stage) => stage.map((lane) => lane.filter(isWanted)).filter((lane) => lane.length > 0))
  return wanted.filter((stage) => stage.length > 0)
}

/** Returns the README's test command without the installation. */
function readmeTestCommand(): string[] {
  const [, command] = /^\s*(?:\$ )?npm ci && (npm test)\s*$/m.exec(readFileSync('README.md', 'utf8')) ?? []
  if (command === undefined) throw new Error('README.md has no line `npm ci && npm test`. Add it, or change the gate.')
  return [...command.split(' '), '--']
}
