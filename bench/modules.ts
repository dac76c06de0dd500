import { render } from '@sluice/expressions'
import { checkConfig } from '../packages/server/src/modules/module-versions/config.ts'
import { budget, flags, percentile, publish, round } from './report.ts'

const { runs } = flags({ runs: 50 })

/** Returns a module with unique templates per run, so that no cache applies. */
const moduleOf = (run: number) => ({
  inputs: [
    ...Array.from({ length: 110 }, (_, index) => inputOf(index)),
    { id: 'tags', label: 'Tags', type: 'keyvalue' },
  ],
  stack: {
    type: 'iac',
    service_state_backend_workspace: `<< module.input.text_0 || project.given_id + "-" + stack.id + "-${run}" >>`,
    pipelines: {
      defaults: {
        variant: 'standard',
        input: { iac_variables: variables(130, `stack${run}`), tool_version: '<< defaults.iac_version >>' },
      },
      change: { pipeline_id: '<< defaults.change_pipeline_id >>' },
    },
  },
  deploy: {
    type: 'cloud:ecs',
    inputs: [{ id: 'image_ref', label: 'Image', type: 'string', required: true }],
    timeout: 1800,
    infrastructure: { ecs_cluster_arn: '<< stack.output.cluster >>', ecs_service_arn: '<< stack.output.service >>' },
    task_definition: {
      family: `<< project.given_id + "-${run}" >>`,
      container_definitions: [
        {
          name: 'app',
          image:
            '<< deploy.input.image_ref contains "sha256:" ? stack.output.repo + "@" + deploy.input.image_ref : stack.output.repo + ":" + deploy.input.image_ref >>',
          port_mappings:
            '<< map(module.input.rules_6 || [], {container_port: #.port, protocol: #.kind == "UDP" ? "udp" : "tcp"}) >>',
          docker_labels: { ...variables(160, `deploy${run}`), '...overrides': '<< module.input.tags >>' },
        },
        '...<< module.input.public_2 ? [{name: "log", image: "log:1"}] : [] >>',
      ],
    },
  },
  ui: { links: '<< stack.output.dns ? [{name: "Site", href: "https://" + stack.output.dns}] : [] >>' },
})

function inputOf(index: number): Record<string, unknown> {
  const label = `Input ${index}`
  const show_when = index > 10 && index % 3 === 0 ? { show_when: { text_0: ['a', ''], text_7: { not: 'b' } } } : {}
  switch (index % 7) {
    case 0:
      return {
        id: `text_${index}`,
        label,
        type: 'string',
        default: 'service-a',
        patterns: [{ pattern: '^[a-z][a-z0-9-]*$', message: 'small letters, digits and hyphens' }],
        ...show_when,
      }
    case 1:
      return { id: `size_${index}`, label, type: 'number', default: 512, min: 1, max: 4096, immutable: true }
    case 2:
      return {
        id: `public_${index}`,
        label,
        type: 'boolean',
        default: false,
        description: 'Whether it is.',
        ...show_when,
      }
    case 3:
      return {
        id: `zone_${index}`,
        label,
        type: 'string',
        default: 'a',
        values: [
          { value: 'a', label: 'A' },
          { value: 'b', label: 'B' },
        ],
      }
    case 4:
      return { id: `hosts_${index}`, label, type: 'string_array', default: [], required: true, ...show_when }
    case 5:
      return {
        id: `region_${index}`,
        label,
        type: 'string',
        values: '$values:cloud/regions?cloudAccountId=<< module.input.text_0 >>',
      }
    default:
      return {
        id: `rules_${index}`,
        label,
        type: 'object_array',
        item_inputs: [
          { id: 'port', type: 'number' },
          { id: 'kind', type: 'string' },
        ],
      }
  }
}

function variables(count: number, salt: string): Record<string, string> {
  const kinds = [
    '<< module.input.text_0 >>',
    '<< module.input.size_1 != null ? int(module.input.size_1 * 1048576) : 4096 >>',
    '<< module.input.public_2 && module.input.zone_3 == "a" ? ["up"] : [] >>',
    '<< (["a"] | concat(module.input.hosts_4 || [])) + ["b"] >>',
    '<< map(module.input.rules_6 || [], #.port ? {"port": #.port} : nil) >>',
  ]
  const entries = Array.from({ length: count }, (_, index) => {
    const template = kinds[index % kinds.length] ?? ''
    return [`variable_${index}`, template.replace(' >>', ` /* ${salt} ${index} */ >>`)] as const
  })
  return Object.fromEntries(entries)
}

const roots = {
  module: {
    id: 'mi_1',
    given_id: 'web',
    input: {
      text_0: 'service-a',
      size_1: 512,
      public_2: true,
      zone_3: 'a',
      hosts_4: ['x', 'y'],
      rules_6: [{ port: 80 }, { port: 53, kind: 'UDP' }],
      tags: {},
    },
  },
  project: { given_id: 'shop' },
  environment: { given_id: 'qa' },
  stack: { id: 'st_1', output: { cluster: 'c', service: 's', repo: 'registry/app' } },
  defaults: {},
  deploy: { input: { image_ref: 'v12' } },
}

type Time = { wall: number; processor: number }
const ms = { check: [] as Time[], first: [] as Time[], again: [] as Time[] }
for (let run = 0; run < runs; run++) {
  const config = moduleOf(run)
  ms.check.push(timeOf(() => expectNothing(checkConfig(config).faults)))
  ms.again.push(timeOf(() => render(config.deploy, roots)))
  ms.first.push(timeOf(() => render(moduleOf(runs + run).deploy, roots)))
}

const sample = moduleOf(0)
const text = JSON.stringify(sample, null, 1)
// Lines with only brackets do not exist in YAML and are not counted.
const lines = text.split('\n').filter((line) => /\w/.test(line)).length
const templates = text.match(/<</g)?.length ?? 0
const row = (what: string, times: Time[], limit: number) => {
  const wall = times.map((time) => time.wall)
  const median = percentile(wall, 0.5)
  return {
    what,
    first: round(wall[0] ?? 0),
    median: round(median),
    p99: round(percentile(wall, 0.99)),
    processor: round(
      percentile(
        times.map((time) => time.processor),
        0.5,
      ),
    ),
    budget: budget(median, (value) => value < limit, `median < ${limit} ms`),
  }
}
await publish({
  name: 'modules',
  what: [
    `A config of ${lines} lines with ${templates} templates, none of which was seen before: the check that publishing makes,`,
    `and the rendering of its deploy block, ${runs} runs, in milliseconds. The first run of a process compiles the schema and`,
    'runs before anything is optimized. `processor` is the median of the processor time.',
  ],
  rows: [
    row('checked', ms.check, 200),
    row('deploy block rendered, templates known', ms.again, 20),
    row('deploy block rendered, templates new', ms.first, 20),
  ],
})

function timeOf(work: () => unknown): Time {
  const cpuBefore = process.cpuUsage()
  const from = performance.now()
  work()
  const wall = performance.now() - from
  const { user, system } = process.cpuUsage(cpuBefore)
  return { wall, processor: (user + system) / 1_000 }
}

function expectNothing(faults: string[]): void {
  if (faults.length > 0) throw new Error(`the config of the benchmark is wrong:\n${faults.join('\n')}`)
}
