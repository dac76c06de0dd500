import { apiErrors } from '@sluice/contract'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { checkBytes } from './check.ts'

/** Returns each fault as `line:column code: message`, shortened to its first line. */
async function faultsIn(file: string | Buffer): Promise<string[]> {
  const { faults } = await checkBytes(Buffer.from(file), true)
  return faults.map(({ line, column, code, message }) => `${line}:${column} ${code}: ${message.split('\n')[0]}`)
}

const ofPipeline = (place: string, message: string) => `${place} Sluice:PipelineVersions:CONFIG_INVALID: ${message}`
const ofModule = (place: string, message: string) => `${place} Sluice:ModuleVersions:CONFIG_INVALID: ${message}`

const pipeline = `# Comments move nothing.
steps:
  - id: build
    type: comand
  - {id: "te\\u0073t", type: command, needs: [biuld], nmae: Test, with: {shell: make test}}
  - id: tell
    type: command
    with:
`
const faultsOfPipeline = [
  ofPipeline('4:11', 'steps[0].type: unknown type comand; did you mean command?'),
  ofPipeline('5:54', 'steps[1].nmae: unknown property; did you mean name?'),
  ofPipeline('5:46', 'steps[1].needs[0]: unknown step biuld; did you mean build?'),
]

test('a fault is positioned at the value, at an unexpected name, or at the object that lacks something', async () => {
  expect(await faultsIn(pipeline)).toEqual([
    ...faultsOfPipeline.slice(0, 2),
    ofPipeline('8:5', 'steps[2].with: expected object, got null'),
    ...faultsOfPipeline.slice(2),
    ofPipeline('8:5', 'steps[2].with: expected argv or shell, there is neither'),
  ])
})

test.each([
  ['with the line ends of Windows', (text: string) => text.replaceAll('\n', '\r\n')],
  ['with a byte order mark', (text: string) => `\ufeff${text}`],
])('positions are the same %s', async (_, change) => {
  expect(await faultsIn(change(pipeline))).toEqual(await faultsIn(pipeline))
  const first = 'steps: [{id: a, type: comand}]'
  expect(await faultsIn(change(first))).toEqual([
    ofPipeline('1:23', 'steps[0].type: unknown type comand; did you mean command?'),
  ])
})

test(
  'suggestions use the names of Sluice',
  everyCase(
    [
      ['- {id: build, if: true}', 'steps[0].if: unknown property; did you mean when?'],
      ['- {id: b, dependsOn: []}', 'steps[0].dependsOn: unknown property; did you mean needs?'],
      ['- {id: b, depends-on: []}', 'steps[0]["depends-on"]: unknown property; did you mean needs?'],
      ['- {id: b, ids: 1}', 'steps[0].ids: unknown property; did you mean id?'],
      ['- {id: build, needs: [buidl]}', 'steps[0].needs[0]: unknown step buidl; none is available'],
      ['- {id: a}\n  - {id: build, needs: [biuld]}', 'steps[1].needs[0]: unknown step biuld; available: a'],
      ['- {id: build, when: << steps.biuld.status >>}', 'steps[0].when: steps has no biuld; none is available'],
    ],
    async (steps, expected) => {
      const ofType = steps.replaceAll('{id', '{type: approval, id')
      const [fault = '', ...more] = await faultsIn(`steps:\n  ${ofType}\n`)
      expect(more).toEqual([])
      expect(fault.replace(/^.*CONFIG_INVALID: /, '')).toEqual(expected)
    },
  ),
)

test('faults in JSON files have positions as well', async () => {
  expect(await faultsIn('{\n\t"inputs": [\n\t\t{"id": "a", "type": "strnig"}\n\t],\n\t"buidl": {}\n}\n')).toEqual([
    ofModule('5:2', 'buidl: unknown property; did you mean build?'),
    expect.stringMatching(/^3:23 Sluice:ModuleVersions:CONFIG_INVALID: inputs\[0\]\.type: expected one of/),
  ])
})

test.each([
  ['plain', 'when: << inputs.x >>', '4:20'],
  ['in quotation marks', "when: '<< inputs.x >>'", '4:21'],
  ['in a block', 'when: |\n      <<\n        needs.succeeded && inputs.x\n      >>', '6:34'],
])('a fault in a template that is %s has its position in the file', async (_, when, place) => {
  for (const end of ['\n', '\r\n']) {
    const text = `steps:\n  - id: a\n    type: command\n    ${when}\n    with: {shell: make}\n`.replaceAll('\n', end)
    expect(await faultsIn(text)).toEqual([ofPipeline(place, 'steps[0].when: inputs has no x; none is available')])
  }
})

test.each([
  ['folded', 'when: >-\n      <<\n        inputs.x\n      >>', '4:11', /line \d, column \d+/],
  ['written with escapes', 'when: "<< \\u0069nputs.x >>"', '4:11', /line 1, column 10/],
])(
  'a fault in a template that is %s is positioned at its start, and names its place in the template',
  async (_, when, place, words) => {
    const [fault] = await faultsIn(`steps:\n  - id: a\n    type: command\n    ${when}\n    with: {shell: make}\n`)
    expect(fault).toMatch(new RegExp(`^${place} .*inputs has no x`))
    expect(fault).toMatch(words)
  },
)

test('a fault in an aliased value is positioned at the anchor', async () => {
  const text = 'inputs: &none []\nsteps:\n  - &build {id: build, type: comand}\n  - *build\n'
  expect(await faultsIn(text)).toEqual([
    ofPipeline('3:30', 'steps[0].type: unknown type comand; did you mean command?'),
    ofPipeline('3:30', 'steps[1].type: unknown type comand; did you mean command?'),
    ofPipeline('3:17', 'steps[1].id: expected another id, there is a build before'),
  ])
})

test('an anchor can be used as often as the number of expanded values permits', async () => {
  const text = (count: number) => {
    const steps = Array.from(
      { length: count },
      (_, index) => `  - {id: s${index}, type: command, needs: *none, with: *with}`,
    )
    const lists = 'inputs: []\ntriggers: &none []\n'
    return `${lists}concurrency: {group: a}\nsteps:\n  - {id: a, type: command, with: &with {shell: make}}\n${steps.join('\n')}\n`
  }
  expect(await faultsIn(text(99))).toEqual([])
})

test('a merge key merges an anchor, whose faults are positioned there', async () => {
  const text = `steps:
  - &base
    id: a
    type: command
    with: {shell: make}
  - {<<: *base, id: b}
  - <<: [{id: c}, *base]
    needs: [d]
`
  expect(await faultsIn(text)).toEqual([ofPipeline('8:13', 'steps[2].needs[0]: unknown step d; available: a, b')])
  expect(await faultsIn(text.replace('type: command', 'type: comand'))).toEqual(
    [0, 1, 2]
      .map((step) =>
        expect.stringContaining(
          `4:11 Sluice:PipelineVersions:CONFIG_INVALID: steps[${step}].type: unknown type comand`,
        ),
      )
      .concat(ofPipeline('8:13', 'steps[2].needs[0]: unknown step d; available: a, b')),
  )
})

test(
  'each mistake is the only one reported, at its position',
  everyCase(
    [
      [
        'what the grammar refuses',
        'steps:\n  - "a\n',
        /^3:1 malformed-yaml: Missing closing "quote\. Nothing else is checked/,
      ],
      ['a key twice', 'steps:\n  - id: a\n    id: b\n', /^3:5 malformed-yaml: This key is a duplicate\. Keep one/],
      ['an alias of nothing', 'steps: [*a]\n', /^1:9 malformed-yaml: There is no &a before this/],
      ['an alias before its anchor', 'steps: [*a, &a 1]\n', /^1:9 malformed-yaml: There is no &a before this/],
      ['an alias of what it is in', 'steps: &a\n  - *a\n', /^2:5 malformed-yaml: This is a part of &a itself/],
      ['aliases that multiply', bomb(), /^2:8 malformed-yaml: The aliases expand to more than 50000 values/],
      [
        'a merge of a list',
        'a: &a [1]\nsteps:\n  - {<<: *a}\n',
        /^3:6 malformed-yaml: Only mappings can be merged by <</,
      ],
      ['a merge of a text', 'steps:\n  - {<<: a}\n', /^2:6 malformed-yaml: Only mappings can be merged by <</],
      ['a tab', 'steps:\n\t- id: a\n', /^2:1 malformed-yaml: This is indented with a tab\. Indent with spaces\./],
      ['two documents', 'steps: []\n---\nsteps: []\n', /^2:1 malformed-yaml: A second document begins here\./],
      ['a depth', `steps: ${'['.repeat(20_000)}`, /^1:\d+ malformed-yaml: This is nested too deep/],
      ['UTF-16', Buffer.from('\ufeffsteps: []', 'utf16le'), /^1:1 not-text: The file is UTF-16\. Save it as UTF-8\.$/],
      ['Latin-1', Buffer.from('steps:\n  - id: café', 'latin1'), /^2:12 not-text: This is not UTF-8/],
      ['a NUL', 'steps: \0', /^1:8 not-text: This is a NUL/],
      [
        'a number beyond all',
        'steps: [{id: a, timeout_seconds: .inf}]',
        /^1:34 Sluice:Request:INVALID: steps\[0\]\.timeout/,
      ],
      [
        'too much',
        `inputs: []\nreadme: ${'x'.repeat(5_000_000)}`,
        /^1:1 Sluice:Request:BODY_TOO_LARGE: expected at most/,
      ],
      ['far too much', 'x'.repeat(9_000_000), /^1:1 Sluice:Request:BODY_TOO_LARGE: expected at most 8388608 bytes/],
      [
        'too many values',
        `steps: [${'1,'.repeat(60_000)}]`,
        /^1:1 Sluice:Request:BODY_TOO_LARGE: expected at most 50000 values/,
      ],
      ['nothing', '', /^1:1 unknown-kind: The file is neither a module, a pipeline nor a project file\./],
      ['a list', '- steps\n', /^1:1 unknown-kind/],
      ['a file of something else', 'services: {}\n', /^1:1 unknown-kind/],
      ['inputs of something else', 'inputs: {name: {}}\nruns: {}\n', /^1:1 unknown-kind/],
    ],
    async (_, file, fault) => {
      expect(await faultsIn(file)).toEqual([expect.stringMatching(fault)])
    },
  ),
)

function bomb(): string {
  const lines = [...'bcdefghi'].map((name, index) => {
    const before = 'abcdefgh'[index]
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`
  })
  return ['a: &a [1,1,1,1,1,1,1,1,1]', ...lines, 'steps: *i', ''].join('\n')
}

test('a file with steps is a pipeline, and one with inputs and other module fields is a module', async () => {
  const kindOf = async (text: string) => (await checkBytes(Buffer.from(text), false)).kind
  expect(await kindOf('inputs: []\nsteps: []')).toBe('pipeline')
  expect(await kindOf('inputs: []\nelse: 1')).toBe('module')
  expect(await kindOf('inputs:\ndeploy: {}')).toBe('module')
  expect(await kindOf('inputs: {}\nelse: 1')).toBeUndefined()
  expect(await kindOf('deploy: {}')).toBeUndefined()
})

test('in a folder, a broken file is checked if its root looks like a config', async () => {
  const inFolder = (file: string | Buffer) => checkBytes(Buffer.from(file), false)
  expect(await inFolder('steps:\n  - id: "a\n')).toMatchObject({
    kind: 'pipeline',
    faults: [{ code: 'malformed-yaml' }],
  })
  const utf16 = Buffer.from('\ufeffsteps: []', 'utf16le')
  expect(await inFolder(utf16)).toMatchObject({ kind: 'pipeline', faults: [{ code: 'not-text' }] })
  expect(await inFolder('{{ if .Values.steps }}\n')).toEqual({
    faults: [],
    otherwise: 'is neither a module, a pipeline nor a project file',
  })
})

test('a quoted name in a path is found', async () => {
  const text = 'inputs: []\nui: {links: []}\nstack:\n  type: iac\n  "odd one": 1\n'
  expect(await faultsIn(text)).toEqual([
    expect.stringMatching(/^5:3 Sluice:ModuleVersions:CONFIG_INVALID: stack\["odd one"\]: unknown property/),
  ])
})

test('documents of a project are checked separately, including their configs', async () => {
  const files = `kind: Environment
name: production
tilte: Production
---
kind: Pipeline
name: release
config:
  steps: [{ id: build, type: comand }]
---
kind: Enviroment
name: staging
`
  const { code } = apiErrors.requestInvalid
  expect(await checkBytes(Buffer.from(files), false)).toMatchObject({ kind: 'project' })
  expect(await faultsIn(files)).toEqual([
    expect.stringMatching(`^3:1 ${code}: tilte: unknown property`),
    ofPipeline('8:30', 'config.steps[0].type: unknown type comand; did you mean command?'),
    expect.stringMatching('^10:7 unknown-kind: kind: expected one of '),
  ])
})

test('in project documents, secrets are unknown, and documents of other programs are skipped', async () => {
  const channel = (url: string) => `kind: NotificationChannel\nname: Pager\nurl: ${url}\nevents: [deployment.failed]\n`
  expect(await faultsIn(channel(`"\${env:PAGER_URL}"`))).toEqual([])
  expect(await faultsIn(channel('nowhere'))).toEqual([expect.stringMatching(/^3:6 .*: url: /)])
  const other = 'apiVersion: example.org/v1\nkind: Environment\n'
  expect((await checkBytes(Buffer.from(other), false)).kind).toBeUndefined()
})
