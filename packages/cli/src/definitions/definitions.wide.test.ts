// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Compose files, and of files of projects.
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { everyCase } from '../../../../testing/every-case.ts'
import { checkBytes } from '../lint/check.ts'
import { emptyDirectory, runToCompletion } from '../testing/command-line.ts'
import { definitionsIn } from './definitions.ts'
import { instanceOf } from './instance.ts'
import { readSource, type Source } from './source.ts'

const page = await readFile(new URL('../../../../docs/reference/import.md', import.meta.url), 'utf8')
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text)
const [task = '', service = ''] = blocksOf('json')
const yaml = blocksOf('yaml')
const [ofService = '', ofCompose = ''] = yaml.filter((text) => text.startsWith('kind:'))
const ecspresso = yaml.find((text) => text.startsWith('# ecspresso.yml')) ?? ''
const compose = yaml.find((text) => text.startsWith('# compose.yaml')) ?? ''
const [ofCluster = '', ofEcspresso = '', onlyWeb = ''] = blocksOf('sh')
  .flatMap((text) => text.replaceAll('\\\n', ' ').split('\n'))
  .filter((line) => line.startsWith('sluice import ') && line.includes('--account'))

const wordsOf = (line: string): string[] => line.trim().split(/\s+/).slice(1)
const cluster = 'arn:aws:ecs:eu-west-1:123456789012:cluster/shop'
const placing = { environment: 'production', account: 'main', cluster }

describe('the examples of the page', () => {
  const folderWith = async (files: Record<string, string>) => {
    const folder = await emptyDirectory()
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return folder
  }

  test('convert a service and its task definition as documented, and report omitted parts', async () => {
    const folder = await folderWith({ 'task.json': task, 'service.json': service })
    const said = blocksOf('text').find((text) => text.startsWith('service.json:'))
    expect(await runToCompletion(folder, wordsOf(ofCluster))).toMatchObject({
      code: 0,
      stdout: ofService,
      stderr: said,
    })
  })

  test('read the files that ecspresso names and no others', async () => {
    const [one] = JSON.parse(service).services
    const { serviceArn: _, clusterArn: __, taskDefinition: ___, ...definition } = one
    const files = { 'ecspresso.yml': ecspresso, 'service-definition.json': JSON.stringify(definition) }
    const folder = await folderWith({
      ...files,
      'task-definition.json': JSON.stringify(JSON.parse(task).taskDefinition),
    })
    const { code, stdout, stderr } = await runToCompletion(folder, wordsOf(ofEcspresso))
    expect({ code, stdout }).toEqual({ code: 0, stdout: ofService })
    expect(stderr).toContain('ecspresso.yml:7:10: timeout: an option of ecspresso itself\n')
    const inside = join(folder, 'inside')
    await mkdir(inside)
    await symlink(join(folder, 'task-definition.json'), join(inside, 'link.json'))
    const names = ['../task-definition.json', 'link.json', 'gone.json', '.']
    const configs = names.map((_, index) => `${index}.yml`)
    for (const [index, name] of names.entries()) {
      await writeFile(join(inside, `${index}.yml`), `task_definition: ${name}`)
    }
    const refused = await runToCompletion(inside, ['import', ...configs, ...wordsOf(ofEcspresso).slice(2)])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    for (const name of names) expect(refused.stderr).toContain(`error not-importable: ${name}: `)
  })

  test('convert a service of a Compose file as documented', async () => {
    const folder = await folderWith({ 'compose.yaml': compose })
    const written = await runToCompletion(folder, [...wordsOf(onlyWeb), '--to', 'web.yaml'])
    expect(written).toMatchObject({ code: 0, stdout: '' })
    expect(await readFile(join(folder, 'web.yaml'), 'utf8')).toBe(ofCompose)
    expect(written.stderr).toContain('compose.yaml:9:13: services.web.ports[0]')
    expect(written.stderr).toContain('services.web.depends_on: each service becomes a separate module instance')
    expect(written.stderr).not.toContain('services.database')
    // Existing files are not overwritten.
    expect(await runToCompletion(folder, [...wordsOf(onlyWeb), '--to', 'web.yaml'])).toMatchObject({ code: 1 })
  })
})

const sourceOf = (text: string): Source => {
  const source = readSource('file', Buffer.from(text))
  if ('faults' in source) throw new Error(JSON.stringify(source.faults))
  return source
}
const noneBeside = (from: Source) => ({ faults: [from.faultAt('$: nothing is beside it')] })

/** Returns the instance of a file with the paths of omitted parts, or the errors. */
function imported(value: unknown, more: object = {}) {
  const { defined, told, faults } = definitionsIn([sourceOf(JSON.stringify(value))], noneBeside)
  const instances = defined.map(({ one }) => instanceOf(one, { ...placing, ...more }))
  const inputs = instances.map((made) => ('instance' in made ? made.instance.input : made.fault))
  return { inputs, told: told.map(({ message }) => message), faults: faults.map(({ message }) => message) }
}

const app = { name: 'app', image: 'shop/web:1' }

test(
  'Docker Compose services become inputs',
  everyCase<[string, unknown, object]>(
    [
      [
        'words with quotes',
        { command: `sh -c "exec web" 'a b' c\\ d` },
        { command: ['sh', '-c', 'exec web', 'a b', 'c d'] },
      ],
      ['a variable without a value', { environment: ['TOKEN'] }, { environment_variables: { TOKEN: '${env:TOKEN}' } }],
      ['a dollar', { environment: { A: '$$x' } }, { environment_variables: { A: '$x' } }],
      [
        'what looks like a reference',
        { environment: { A: '$${env:X}' } },
        { environment_variables: { A: '$${env:X}' } },
      ],
      ['a time', { healthcheck: { test: 'x', start_period: '1m30s' } }, { health_check: { startPeriod: 90 } }],
      [
        'ports',
        { ports: [80, '443/udp', '1:2'] },
        { port_mappings: [80, 443, 2].map((containerPort) => ({ containerPort })) },
      ],
      ['a size', { mem_limit: '1.5gb', cpus: 0.25 }, { container_settings: { memory: 1536, cpu: 256 } }],
      ['a platform', { platform: 'linux/arm64' }, { task_settings: { runtimePlatform: { cpuArchitecture: 'ARM64' } } }],
      [
        'rights',
        { cap_add: ['A'], cap_drop: ['B'], init: true },
        {
          container_settings: {
            linuxParameters: { capabilities: { add: ['A'], drop: ['B'] }, initProcessEnabled: true },
          },
        },
      ],
    ],
    (_, more, expected) => {
      const { inputs, faults } = imported({ services: { web: { image: 'shop/web:1', ...Object(more) } } })
      expect({ inputs, faults }).toMatchObject({ inputs: [expected], faults: [] })
    },
  ),
)

test(
  'unsupported Docker Compose fields are reported',
  everyCase(
    [
      ['env_file', '.env'],
      ['volumes', ['a:/b']],
      ['build', '.'],
      ['command', 'an "open quote'],
      ['command', 'a ${B:+c}'],
      ['privileged', 'yes please'],
      ['constructor', 1],
    ],
    (name, value) => {
      const { told, inputs } = imported({ services: { web: { image: 'shop/web:1', [name]: value } } })
      expect(told).toContainEqual(expect.stringMatching(`^services\\.web\\.${name}: `))
      expect(JSON.stringify(inputs)).not.toContain(name)
    },
  ),
)

test(
  'numbers and durations of Docker Compose services are converted, or reported with their path',
  everyCase<[string, object, object, string[]]>(
    [
      [
        'a time without a unit',
        { healthcheck: { test: 'x', interval: 30 } },
        { interval: 30 },
        ['healthcheck.interval'],
      ],
      [
        'a time that is a text of digits',
        { healthcheck: { test: 'x', timeout: '${T:-5}' } },
        { timeout: 5 },
        ['healthcheck.timeout'],
      ],
      ['a count with a default', { healthcheck: { test: 'x', retries: '${RETRIES:-3}' } }, { retries: 3 }, []],
      [
        'a count that is a variable',
        { healthcheck: { test: 'x', retries: '${RETRIES}' } },
        {},
        ['healthcheck.retries'],
      ],
      ['a time in another form', { healthcheck: { test: 'x', interval: 'soon' } }, {}, ['healthcheck.interval']],
      [
        'a time that is too long',
        { healthcheck: { test: 'x', interval: '1h' } },
        { interval: 300 },
        ['healthcheck.interval'],
      ],
    ],
    (_, more, expected, said) => {
      const { inputs, told, faults } = imported({ services: { web: { image: 'shop/web:1', ...more } } })
      expect(faults).toEqual([])
      expect(inputs).toMatchObject([{ health_check: expected }])
      const ofCheck = told.filter((line) => line.startsWith('services.web.healthcheck.'))
      for (const path of said)
        expect(ofCheck.join('\n'), 'see healthCheckOf in compose.ts').toContain(`services.web.${path}: `)
      if (said.length === 0) expect(ofCheck.filter((line) => !line.includes('is not required'))).toEqual([])
    },
  ),
)

test(
  'a stop_grace_period becomes whole seconds',
  everyCase<[unknown, number | undefined, string | undefined]>(
    [
      ['1m', 60, undefined],
      ['1.5s', 2, 'changed to 2'],
      ['500ms', 1, 'changed to 1'],
      [20, 20, 'no unit'],
      ['${GRACE}', undefined, 'cannot be a variable'],
    ],
    (given, stopTimeout, said) => {
      const { inputs, told } = imported({ services: { web: { image: 'shop/web:1', stop_grace_period: given } } })
      expect(inputs).toMatchObject([{ container_settings: { essential: true } }])
      expect((inputs[0] as { container_settings: object }).container_settings).toEqual({
        essential: true,
        ...(stopTimeout !== undefined && { stopTimeout }),
      })
      const line = told.find((one) => one.startsWith('services.web.stop_grace_period: '))
      if (said === undefined) expect(line).toBeUndefined()
      else expect(line).toContain(said)
    },
  ),
)

test(
  'unsupported parts within a supported Docker Compose field are reported with their path',
  everyCase<[string, unknown, string]>(
    [
      ['healthcheck', { test: 'x', start_interval: '5s' }, 'healthcheck.start_interval'],
      ['logging', { driver: 'awslogs', mode: 'x' }, 'logging.mode'],
      ['ulimits', { nofile: { soft: 1, hard: 2, more: 3 } }, 'ulimits.nofile.more'],
      ['ports', [{ target: 80, app_protocol: 'http' }], 'ports[0].app_protocol'],
      ['deploy', { resources: { limits: { pids: 1 } } }, 'deploy.resources.limits.pids'],
      ['networks', { default: { aliases: Array.from({ length: 25 }, (_, index) => `a${index}`) } }, 'networks'],
    ],
    (name, value, path) => {
      const { told, faults } = imported({ services: { web: { image: 'shop/web:1', [name]: value } } })
      expect(faults).toEqual([])
      expect(told).toContainEqual(expect.stringContaining(`services.web.${path}: `))
    },
  ),
)

test('a service that is only built requires an image, and more than 20 YAML aliases are accepted', () => {
  const built = { services: { web: { build: '.' } } }
  expect(imported(built).inputs).toEqual([expect.stringContaining('name the repository of the image with --image')])
  expect(imported(built, { image: 'shop/web' })).toMatchObject({
    inputs: [{ image_repository: 'shop/web' }],
    faults: [],
  })
  const names = Array.from({ length: 30 }, (_, index) => `s${index}`)
  const text = [
    'x-net: &net { default: null }',
    'services:',
    ...names.map((name) => `  ${name}: { image: a/b, networks: *net }`),
  ]
  expect(definitionsIn([sourceOf(text.join('\n'))], noneBeside)).toMatchObject({ faults: [], defined: { length: 30 } })
})

test('a missing image of a sidecar container is reported with its path', () => {
  const containerDefinitions = [app, { name: 'side', essential: false }]
  expect(imported({ family: 'web', containerDefinitions }).faults).toEqual([
    'containerDefinitions[1].image: required, but missing',
  ])
})

test('empty texts of a task definition are omitted and reported, except values', () => {
  const environment = [{ name: 'A', value: '' }]
  const { inputs, told, faults } = imported({
    family: 'web',
    ipcMode: '',
    pidMode: '',
    taskRoleArn: '',
    containerDefinitions: [{ ...app, user: '', environment, dockerLabels: { team: '' } }],
  })
  expect(faults).toEqual([])
  expect(inputs).toMatchObject([
    { environment_variables: { A: '' }, container_settings: { dockerLabels: { team: '' } }, task_settings: {} },
  ])
  expect(JSON.stringify(inputs), 'see empty-texts.ts').not.toMatch(/ipcMode|pidMode|task_role_arn|"user"/)
  for (const path of ['ipcMode', 'pidMode', 'taskRoleArn', 'containerDefinitions[0].user']) {
    expect(told).toContain(`${path}: it is empty, so it is omitted`)
  }
})

/** Returns the instance of ecspresso files, by their names. */
function importedByEcspresso(config: object, files: Record<string, object>, more: object = {}) {
  const beside = (_: Source, name: string) => sourceOf(JSON.stringify(files[name]))
  const { defined, told, faults } = definitionsIn([sourceOf(JSON.stringify(config))], beside)
  const made = defined.map(({ one }) => instanceOf(one, { ...placing, ...more }))
  return { made, told: told.map(({ message }) => message), faults: faults.map(({ message }) => message) }
}

test('an ecspresso configuration with an empty region and a variable as family is read', () => {
  const files = {
    task: { family: '{{ must_env `FAMILY` }}', containerDefinitions: [app] },
    service: { desiredCount: 1, launchType: '', loadBalancers: [] },
  }
  const config = { region: '', cluster: 'shop', service: 'web', task_definition: 'task', service_definition: 'service' }
  const { made, told, faults } = importedByEcspresso(config, files)
  expect(faults, 'see gatherEcspresso in definitions.ts').toEqual([])
  expect(made).toMatchObject([{ instance: { name: 'web', input: { family: '${env:FAMILY}' } } }])
  expect(told).toContain('region: it is empty, so it is omitted')

  const { service_definition: _, ...taskOnly } = { ...config, region: '{{ must_env `AWS_REGION` }}' }
  expect(importedByEcspresso(taskOnly, files)).toMatchObject({
    made: [{ instance: { name: 'web', input: { service_arn: expect.stringMatching(/:service\/shop\/web$/) } } }],
    told: expect.arrayContaining([expect.stringContaining('region: it is a variable')]),
  })
  const { service: __, ...unnamed } = taskOnly
  expect(importedByEcspresso(unnamed, files).made).toEqual([{ fault: expect.stringContaining('--as') }])
  expect(importedByEcspresso(unnamed, files, { as: 'api' }).made).toMatchObject([{ instance: { name: 'api' } }])
})

test('unquoted ecspresso templates are read', () => {
  const texts: Record<string, string> = {
    config:
      'cluster: {{ env "CLUSTER" "shop" }} # comment\nservice: {{ must_env `SERVICE` }}-web\ntask_definition: task',
    task: '{ "family": "it\'s: {{ must_env `FAMILY` }}", "cpu": {{ must_env `CPU` }}, "containerDefinitions": [{ "name": "app", "image": "a/b" }] }',
  }
  const { defined, faults } = definitionsIn([sourceOf(texts.config ?? '')], (_, name) => sourceOf(texts[name] ?? ''))
  expect(faults, 'see withQuotes in source.ts').toEqual([])
  expect(defined).toMatchObject([
    {
      one: {
        name: '${env:SERVICE}-web',
        place: { clusterArn: 'shop' },
        definition: { family: "it's: ${env:FAMILY}", cpu: '${env:CPU}' },
      },
    },
  ])
})

test('each ecspresso lookup becomes a variable, which is reported', () => {
  const lookups = ['{{ tfstate `a.b` }}', '{{ tfstate `a_b` }}', '{{ ssm `/log/image` }}']
  const [first = '', second = '', image = ''] = lookups
  const containerDefinitions = [
    { ...app, image: `${first}:{{ must_env \`TAG\` }}` },
    { name: 'log', image, essential: false },
  ]
  const task = { family: 'web', executionRoleArn: first, taskRoleArn: second, containerDefinitions }
  const { made, told, faults } = importedByEcspresso({ task_definition: 'task' }, { task })
  expect(faults).toEqual([])
  expect(made).toMatchObject([
    {
      instance: {
        input: {
          image_repository: '${env:TFSTATE_A_B}',
          execution_role_arn: '${env:TFSTATE_A_B}',
          task_role_arn: '${env:TFSTATE_A_B_2}',
          further_containers: [{ image: '${env:SSM_LOG_IMAGE}' }],
        },
      },
    },
  ])
  expect(told).toContain(
    'containerDefinitions[1].image: ecspresso looks up {{ ssm `/log/image` }}: set the variable SSM_LOG_IMAGE to its value',
  )
})

test('in a task definition, null is absent, unknown fields are preserved, and possible secrets are reported', () => {
  const environment = [{ name: 'API_KEY', value: 'x' }]
  const container = { ...app, command: null, user: '1000', environment }
  const { inputs, told } = imported({
    family: 'web',
    containerDefinitions: [{ name: 'side', image: 'a/b', essential: false }, container],
    volumes: [{ name: 'v' }],
  })
  expect(inputs).toMatchObject([
    {
      container_name: 'app',
      container_settings: { user: '1000' },
      task_settings: { volumes: [{ name: 'v' }] },
      further_containers: [{ name: 'side' }],
    },
  ])
  expect(told).toContainEqual(
    expect.stringContaining('containerDefinitions[1].environment: API_KEY: It looks like a secret'),
  )
})

test('a service that shifts traffic keeps its strategy; one with an external deployment controller is rejected', () => {
  const balancer = {
    containerName: 'app',
    targetGroupArn: 'tg-1',
    advancedConfiguration: { alternateTargetGroupArn: 'tg-2', productionListenerRule: 'rule', roleArn: 'role' },
  }
  const one = { serviceArn: 'arn:aws:ecs:eu-west-1:123456789012:service/shop/web', loadBalancers: [balancer] }
  const canary = {
    strategy: 'CANARY',
    canaryConfiguration: { canaryPercent: 5 },
    lifecycleHooks: [{ hookTargetArn: 'fn' }],
  }
  const both = (more: object) => {
    const sources = [
      { family: 'web', containerDefinitions: [app] },
      { ...one, ...more },
    ]
    return definitionsIn(
      sources.map((value) => sourceOf(JSON.stringify(value))),
      noneBeside,
    )
  }
  const { defined, told } = both({ deploymentConfiguration: canary })
  const made = defined.map(({ one }) => instanceOf(one, { environment: 'production', account: 'main' }))
  expect(made).toMatchObject([
    { instance: { input: { strategy: 'canary', canary_percent: 5, target_group_arn: 'tg-1', cluster_arn: cluster } } },
  ])
  expect(told.map(({ message }) => message)).toContainEqual(expect.stringContaining('lifecycleHooks: fn'))
  const alone = { loadBalancers: [], deploymentConfiguration: canary }
  expect(both(alone).faults).toMatchObject([
    { message: expect.stringContaining('the service has no load balancer, Service Connect or VPC Lattice') },
  ])
  const ways = [
    { ...alone, serviceConnectConfiguration: { enabled: true } },
    { ...alone, deployments: [{ serviceConnectConfiguration: { enabled: true } }] },
    { ...alone, deploymentConfiguration: { strategy: 'BLUE_GREEN' } },
  ]
  for (const way of ways) expect(both(way).faults).toEqual([])
  expect(both({ deploymentController: { type: 'CODE_DEPLOY' } }).faults).toMatchObject([
    { message: expect.stringContaining('CODE_DEPLOY executes its releases') },
  ])
})

test('an image that is entirely a variable requires a repository; one with a variable tag does not', () => {
  const withImage = (image: string, more: object = {}) => imported({ services: { web: { image } } }, more).inputs
  expect(withImage('${IMAGE}')).toEqual([expect.stringContaining('--image')])
  expect(withImage('${IMAGE}', { image: 'shop/web' })).toMatchObject([{ image_repository: 'shop/web' }])
  expect(withImage('${REGISTRY}:5000/web:${TAG}')).toMatchObject([{ image_repository: '${env:REGISTRY}:5000/web' }])
})

test(
  'ecspresso template values are translated or reported',
  everyCase(
    [
      ['x-{{ must_env `NAME` }}', 'x-${env:NAME}', []],
      ['${env:NAME}', '$${env:NAME}', []],
      ['{{ env `NAME` `otherwise` }}!', 'otherwise!', ['NAME is not required']],
      ['{{ tfstate `a.b` }}', '${env:TFSTATE_A_B}', ['set the variable TFSTATE_A_B']],
      ['{{ must_env `NAME` | json_escape }}', '${env:NAME}', []],
      ['{{ if true }}x{{ end }}', undefined, ['the template']],
      ['${{ must_env `NAME` }}', undefined, ['a $ before a variable']],
    ],
    (value, expected, said) => {
      const definition = { family: 'web', taskRoleArn: value, containerDefinitions: [app] }
      const config = sourceOf('task_definition: task.json')
      const { defined, told } = definitionsIn([config], () => sourceOf(JSON.stringify(definition)))
      expect(defined.map(({ one }) => one.definition.taskRoleArn)).toEqual([expected])
      const ofRole = told.map(({ message }) => message).filter((message) => message.startsWith('taskRoleArn: '))
      expect(ofRole).toEqual(said.map((words) => expect.stringContaining(words)))
    },
  ),
)

test('alias expansion and excessive depth are rejected quickly', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
  for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg'].map((pair) => [...pair])) {
    bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`)
  }
  const wide = `a: &a [${Array(9_000).fill('x')}]\nb: [${Array(20).fill('*a')}]`
  for (const text of [bomb.join('\n'), wide, '['.repeat(5_000), `${'[\n '.repeat(100)}${']'.repeat(100)}`]) {
    expect(readSource('file', Buffer.from(text))).toMatchObject({ faults: [expect.anything()] })
  }
})

/** Generates JSON with the known names, so that every branch gets unexpected values. */
const names = [
  ...['taskDefinition', 'containerDefinitions', 'family', 'environment', 'secrets', 'image', 'name', 'command', 'tags'],
  ...['services', 'serviceArn', 'serviceName', 'loadBalancers', 'deploymentConfiguration', 'lifecycleHooks', 'web'],
  ...['task_definition', 'ports', 'healthcheck', 'deploy', 'resources', 'limits', 'ulimits', 'logging', 'labels'],
]
const text = fc.oneof(
  fc.constantFrom('${A}', '$$', '{{ must_env `A` }}', 'a/b:1', 'CANARY', '1m', '${env:A}'),
  fc.string(),
)
const hostile = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), text), tie('value'), { maxKeys: 6 }),
  ),
})).value

const container = fc.record({ name: fc.constant('app'), image: fc.constant('a/b:1') })
const mixed = fc.oneof(
  hostile,
  fc
    .tuple(hostile, container)
    .map(([more, one]) => ({ family: 'web', containerDefinitions: [{ ...Object(more), ...one }] })),
  fc.tuple(hostile).map(([more]) => ({ services: { web: { ...Object(more), image: 'a/b' } } })),
  fc.tuple(hostile).map(([more]) => ({ ...Object(more), serviceName: 'web', taskDefinition: 'web' })),
)

test('any file is either rejected with an error or converted to valid documents', async () => {
  await fc.assert(
    fc.asyncProperty(mixed, async (value) => {
      const source = readSource('file', Buffer.from(JSON.stringify(value)))
      if ('faults' in source) return expect(source.faults).not.toEqual([])
      const { defined, faults } = definitionsIn([source], noneBeside)
      expect(defined.length + faults.length > 0 || Object.keys(Object(Object(value).services)).length === 0).toBe(true)
      for (const { one } of defined) {
        const made = instanceOf(one, placing)
        if (!('instance' in made)) continue
        const text = stringify(made.instance)
        expect(parse(text)).toEqual(made.instance)
        expect(await checkBytes(Buffer.from(text), true)).toEqual({ kind: 'project', faults: [] })
      }
    }),
    { numRuns: 500 },
  )
})
