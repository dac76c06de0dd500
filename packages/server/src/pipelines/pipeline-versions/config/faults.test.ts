import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { configFaults } from './faults.ts'

type Json = Record<string, unknown>

/** Returns the errors of a config without their common path, and only the first line of errors in templates. */
const faultsOf = (config: Json): string[] =>
  configFaults(config).map((fault) => fault.replace('$.data.config', '').split('\n', 1)[0] ?? '')

const command = (id: string, more: Json = {}) => ({ id, type: 'command', with: { argv: ['true'] }, ...more })
const plan = (more: Json = {}) => ({
  id: 'plan',
  type: 'iac:plan',
  with: { stack: 'web', source: { files: { 'main.tf': '' } }, ...more },
})
const withPlan = (more: Json) => ({ steps: [plan(more)] })

describe('the types of fields', () => {
  test(
    'are validated in every field',
    everyCase<[string, Json, string[]]>(
      [
        ['nothing', {}, ['.steps: required, but missing']],
        ['no steps', { steps: [] }, ['.steps: must not have fewer than 1 items']],
        [
          'a property with a typing error',
          { step: [], steps: [command('a', { need: [] })] },
          ['.step: unknown property; did you mean steps?', '.steps[0].need: unknown property; did you mean needs?'],
        ],
        [
          'an unknown type, and what else is wrong with the step',
          { steps: [{ id: 'A', type: 'comand' }] },
          [
            '.steps[0].type: unknown type comand; did you mean command?',
            '.steps[0].id: expected text that matches ^[a-z][a-z0-9_-]{0,62}$',
          ],
        ],
        ['no type', { steps: [{ id: 'a' }] }, ['.steps[0].type: required, but missing']],
        ['a type that is no text', { steps: [{ id: 'a', type: 1 }] }, ['.steps[0].type: expected string, got number']],
        [
          'steps that are no objects',
          { steps: ['a', null] },
          ['.steps[0]: expected object, got string', '.steps[1]: expected object, got null'],
        ],
        [
          'the `with` of a type, not of all types',
          { steps: [command('a', { with: { argv: [1], url: 'x' } })] },
          [
            '.steps[0].with.argv[0]: expected string, got number',
            '.steps[0].with.url: unknown property; available: argv, artifacts, environment_variables, shell, source, working_directory',
          ],
        ],
        [
          'a `with` that must be there',
          { steps: [{ id: 'a', type: 'http' }] },
          ['.steps[0].with: required, but missing'],
        ],
        [
          'a value of two kinds',
          { steps: [command('a', { when: 1 })] },
          ['.steps[0].when: expected boolean or string, got number'],
        ],
        [
          'a source of no kind',
          withPlan({ source: { rep: 'x' } }),
          ['.steps[0].with.source: expected one of code_source_id, repo, files'],
        ],
        [
          'a source of one kind',
          withPlan({ source: { repo: 'https://git.example/a', reff: 'main' } }),
          ['.steps[0].with.source.reff: unknown property; did you mean ref?'],
        ],
        [
          'a name of an environment variable',
          { steps: [command('a', { with: { argv: ['a'], environment_variables: { 'A-B': '1', A: [] } } })] },
          [
            '.steps[0].with.environment_variables["A-B"]: expected a name that matches ^[A-Za-z_][A-Za-z0-9_]*$',
            '.steps[0].with.environment_variables.A: expected string or number or boolean or null, got array',
          ],
        ],
        [
          'approval, retry',
          { steps: [command('a', { approval: { on_timeout: 'maybe' }, retry: { attempts: 0 } })] },
          [
            '.steps[0].approval.on_timeout: expected one of reject, approve',
            '.steps[0].retry.attempts: expected a number >= 1',
          ],
        ],
        [
          'a trigger',
          { triggers: [{ type: 'cron' }, { type: 'push' }], steps: [command('a')] },
          [
            '.triggers[0].type: unknown type cron; available: manual, merge_group, pipeline, pull_request, push, schedule',
            '.triggers[1].code_source_id: required, but missing',
          ],
        ],
      ],
      (_, config, faults) => {
        expect(faultsOf(config).toSorted()).toEqual(faults.toSorted())
      },
    ),
  )
})

describe('the graph', () => {
  test(
    'is validated for every mistake',
    everyCase<[string, Json[], string[]]>(
      [
        ['an id twice', [command('a'), command('a')], ['.steps[1].id: expected another id, there is a a before']],
        [
          'a need with a typing error',
          [command('build'), command('test', { needs: ['bulid'] })],
          ['.steps[1].needs[0]: unknown step bulid; did you mean build?'],
        ],
        [
          'a step that needs itself',
          [command('a', { needs: ['a'] })],
          ['.steps[0].needs[0]: expected another step, a cannot need itself'],
        ],
        [
          'a circle',
          [command('a', { needs: ['c'] }), command('b'), command('c', { needs: ['b'] })],
          ['.steps[1]: expected no circle, each of these needs the next: a → c → b → a'],
        ],
        [
          'two circles',
          [
            command('a', { needs: ['b'] }),
            command('b', { needs: ['a'] }),
            command('c', { needs: ['a', 'd'] }),
            command('d', { needs: ['c'] }),
          ],
          [
            '.steps[1].needs[0]: expected no circle, each of these needs the next: a → b → a',
            '.steps[3].needs[0]: expected no circle, each of these needs the next: c → d → c',
          ],
        ],
        [
          'a diamond',
          [
            command('a'),
            command('b', { needs: ['a'] }),
            command('c', { needs: ['a'] }),
            command('d', { needs: ['b', 'c'] }),
          ],
          [],
        ],
      ],
      (_, steps, faults) => {
        expect(faultsOf({ steps })).toEqual(faults)
      },
    ),
  )

  test('500 steps in a row are validated before the test times out', () => {
    const next = (_: unknown, index: number) => command(`s${index}`, { when: '<< steps.s0.output.ok >>' })
    const steps = [command('s0'), ...Array.from({ length: 500 }, next).slice(1)]
    expect(faultsOf({ steps })).toEqual([])
  })
})

test('a hostile config is rejected with short errors, before the test times out', () => {
  const steps = Array.from({ length: 20_000 }, (_, index) => ({ ...command('a'), when: '<< b >>', nothing: index }))
  const faults = configFaults({ steps })
  expect(faults[0]).toBe('$.data.config.steps: expected at most 500 items')
  expect(faults.length).toBeLessThanOrEqual(1_000)
})

describe('templates', () => {
  const inputs = [{ id: 'image', type: 'string' }]
  const steps = (more: Json, before: Json[] = []) => ({ inputs, steps: [...before, command('last', more)] })

  test(
    'are validated everywhere',
    everyCase<[string, Json, string[]]>(
      [
        [
          'what is there',
          steps({
            when: '<< needs.succeeded && inputs.image != nil >>',
            with: {
              argv: [
                '<< pipeline.run.id >>',
                '<< project.given_id >>',
                '<< environment.given_id >>',
                '<< defaults.x >>',
                '<< trigger.payload.commit >>',
              ],
            },
          }),
          [],
        ],
        [
          'the output of a step before',
          steps({ with: { argv: ['<< steps.build.output.image >>'] } }, [command('build'), command('test')]),
          [],
        ],
        [
          'what does not parse',
          steps({ when: '<< inputs. >>' }),
          ['.steps[0].when: expected a name, found the end (line 1, column 12)'],
        ],
        [
          'a root with a typing error',
          steps({ when: '<< input.image >>' }),
          ['.steps[0].when: unknown name input; did you mean inputs? (line 1, column 4)'],
        ],
        [
          'an input with a typing error',
          steps({ when: '<< inputs.imag >>' }),
          ['.steps[0].when: inputs has no imag; did you mean image? (line 1, column 10)'],
        ],
        [
          '`needs` outside of `when`',
          steps({ with: { argv: ['<< needs.succeeded >>'] } }),
          [expect.stringMatching(/^.steps\[0\].with.argv\[0\]: unknown name needs/)],
        ],
        [
          'a step that does not exist',
          steps({ when: '<< steps.biuld.status == "ERROR" >>' }, [command('build')]),
          [expect.stringMatching(/^.steps\[1\].when: steps has no biuld; did you mean build\?/)],
        ],
        [
          'a step that is not needed',
          steps({ needs: [], when: '<< steps.build.output >>' }, [command('build')]),
          [expect.stringMatching(/^.steps\[1\].when: steps has no build/)],
        ],
        [
          'its own output',
          steps({ when: '<< steps.last.output >>' }),
          [expect.stringMatching(/^.steps\[0\].when: steps has no last/)],
        ],
        [
          'the message of an approval',
          steps({ approval: { message: 'Deploy << inputs.img >>?' } }),
          [expect.stringMatching(/^.steps\[0\].approval.message: inputs has no img/)],
        ],
        [
          'the group',
          { ...steps({}), concurrency: { group: 'x-<< steps.last.status >>' } },
          [expect.stringMatching(/^.concurrency.group: unknown name steps/)],
        ],
        [
          'the inputs of a trigger',
          {
            ...steps({}),
            triggers: [{ type: 'schedule', cron: '0 6 * * *', inputs: { image: '<< inputs.image >>' } }],
          },
          [expect.stringMatching(/^.triggers\[0\].inputs.image: unknown name inputs/)],
        ],
        [
          'the default of an input',
          { inputs: [{ id: 'a', type: 'json', default: { b: ['<< defaults.b >>'] } }], steps: [command('a')] },
          ['.inputs[0].default.b[0]: expected no template, put it where the input is read'],
        ],
        [
          'where none is rendered',
          {
            triggers: [{ type: 'push', code_source_id: '<< defaults.source >>' }],
            steps: [command('a', { name: '<< inputs.name >>', approval: { approvers: ['<< inputs.who >>'] } })],
          },
          [
            '.triggers[0].code_source_id: expected no template, a trigger only has them in its inputs',
            '.steps[0].name: expected no template, a step only has them in `with`, `when` and `approval.message`',
            '.steps[0].approval.approvers[0]: expected no template, a step only has them in `with`, `when` and `approval.message`',
          ],
        ],
        [
          'programs, which are taken as they are',
          {
            steps: [
              command('a', { with: { shell: 'cat <<EOF\n$X\nEOF' } }),
              plan({ source: { files: { 'a.tf': 'x = <<-EOT\nEOT' } } }),
            ],
          },
          [],
        ],
      ],
      (_, config, faults) => {
        expect(faultsOf(config)).toEqual(faults)
      },
    ),
  )

  test('an error points to its position, and suggests corrections', () => {
    const [fault] = configFaults(steps({ needs: [], when: '<< steps.build.output >>' }, [command('build')]))
    expect(fault?.split('\n')).toEqual([
      expect.stringContaining('(line 1, column 9)'),
      '  << steps.build.output >>',
      '          ^',
      'Only the output of a step that is needed, directly or by a needed one, can be read.',
    ])
  })
})

describe('rules of the step types', () => {
  test(
    'are enforced',
    everyCase<[string, Json[], string[]]>(
      [
        [
          'a stack by neither',
          [plan({ stack: undefined })],
          ['.steps[0].with: expected stack_id or stack, there is neither'],
        ],
        [
          'a stack by both',
          [plan({ stack_id: 'stk_1' })],
          ['.steps[0].with: expected stack_id or stack, there are both'],
        ],
        ['no program', [command('a', { with: {} })], ['.steps[0].with: expected argv or shell, there is neither']],
        [
          'no pipeline',
          [{ id: 'a', type: 'pipeline' }],
          ['.steps[0].with: expected pipeline_id or pipeline, there is neither'],
        ],
        [
          'a module instance without its environment',
          [{ id: 'a', type: 'deploy', with: { module_instance: 'web' } }],
          ['.steps[0].with.environment: required, because the givenId of a module instance belongs to an environment'],
        ],
        [
          'an environment too many',
          [{ id: 'a', type: 'deploy', with: { module_instance_id: 'mi_1', environment: 'x' } }],
          ['.steps[0].with.environment: not allowed: module_instance_id determines the environment'],
        ],
        ['an apply after a plan', [plan(), command('a'), { id: 'apply', type: 'iac:apply' }], []],
        [
          'an apply without a plan',
          [command('a'), { id: 'apply', type: 'iac:apply' }],
          ['.steps[1]: expected a step of the type iac:plan before it, by `needs`'],
        ],
        [
          'an apply beside the plan',
          [plan(), { id: 'apply', type: 'iac:apply', needs: [] }],
          ['.steps[1]: expected a step of the type iac:plan before it, by `needs`'],
        ],
        [
          'an apply of another step',
          [plan(), command('a'), { id: 'apply', type: 'iac:apply', with: { plan: 'a' } }],
          ['.steps[2].with.plan: no step a of the type iac:plan before it; available: plan'],
        ],
        ['an apply without changes', [plan(), { id: 'b', type: 'iac:apply', approval: { on_no_changes: 'ask' } }], []],
        [
          'another step without changes',
          [command('a', { approval: { on_no_changes: 'ask' } })],
          ['.steps[0].approval.on_no_changes: not allowed: it applies to the types iac:apply and approval; use `when`'],
        ],
        [
          'a swap without a deploy',
          [{ id: 'swap', type: 'deploy-swap' }],
          ['.steps[0]: expected a step of the type deploy before it, by `needs`'],
        ],
        [
          'an address',
          [{ id: 'a', type: 'http', with: { url: 'example.com' } }],
          ['.steps[0].with.url: expected an address that begins with http:// or https://'],
        ],
        ['an address that is made', [{ id: 'a', type: 'http', with: { url: '<< defaults.hook >>' } }], []],
        [
          'a repository',
          [plan({ source: { repo: 'git@example.com:a.git' } })],
          ['.steps[0].with.source.repo: expected an address that begins with https://'],
        ],
      ],
      (_, steps, faults) => {
        expect(faultsOf({ steps })).toEqual(faults)
      },
    ),
  )
})

describe('inputs and triggers', () => {
  const config = (more: Json) => ({ steps: [command('a')], ...more })
  const image = { id: 'image', type: 'string', required: true }
  const schedule = (more: Json) => ({ type: 'schedule', cron: '0 6 * * *', ...more })

  test(
    'are validated for every mistake',
    everyCase<[string, Json, string[]]>(
      [
        ['an id twice', { inputs: [image, image] }, ['.inputs[1].id: expected another id, there is a image before']],
        [
          'an unknown type',
          { inputs: [{ id: 'a', type: 'text' }] },
          ['.inputs[0].type: expected one of string, number, boolean, string_array, array, object, json'],
        ],
        [
          'a default of another type',
          { inputs: [{ id: 'a', type: 'number', default: '1' }] },
          ['.inputs[0].default: expected a number, got a string'],
        ],
        [
          'a default that is not allowed',
          { inputs: [{ id: 'a', type: 'string_array', values: ['x', 'y'], default: ['x', 'z'] }] },
          ['.inputs[0].default[1]: expected one of "x", "y"'],
        ],
        [
          'an allowed value of another type',
          { inputs: [{ id: 'a', type: 'string', values: ['x', 1] }] },
          ['.inputs[0].values[1]: expected a text, got a number'],
        ],
        [
          'a cron with seconds',
          { triggers: [schedule({ cron: '0 0 6 * * *' })] },
          [expect.stringMatching(/^.triggers\[0\].cron: expected minute, hour, day of month, month and day of week/)],
        ],
        [
          'a cron of nonsense',
          { triggers: [schedule({ cron: 'at noon' })] },
          [expect.stringMatching(/^.triggers\[0\].cron: expected minute/)],
        ],
        [
          'a time that never comes',
          { triggers: [schedule({ cron: '0 0 31 2 *' })] },
          ['.triggers[0].cron: expected a time that comes, this one never does'],
        ],
        [
          'a time zone',
          { triggers: [schedule({ time_zone: 'Berlin' })] },
          ['.triggers[0].time_zone: expected the IANA name of a time zone, such as Europe/Berlin; there is no Berlin'],
        ],
        [
          'an input that a trigger does not give',
          { inputs: [image], triggers: [schedule({})] },
          ['.triggers[0].inputs.image: required, but missing'],
        ],
        [
          'an input that there is not',
          { inputs: [], triggers: [schedule({ inputs: { a: 1 } })] },
          ['.triggers[0].inputs.a: unknown input; the pipeline takes none'],
        ],
        [
          'an input of another type',
          { inputs: [image], triggers: [schedule({ inputs: { image: 1 } })] },
          ['.triggers[0].inputs.image: expected a text, got a number'],
        ],
        [
          'an input that is made',
          { inputs: [image], triggers: [schedule({ inputs: { image: '<< trigger.payload.at >>' } })] },
          [],
        ],
        ['a manual trigger', { inputs: [image], triggers: [{ type: 'manual' }] }, []],
      ],
      (_, more, faults) => {
        expect(faultsOf(config(more))).toEqual(faults)
      },
    ),
  )
})

test('all errors are returned at once', () => {
  const faults = faultsOf({
    inputs: [{ id: 'a', type: 'number', default: 'x' }],
    triggers: [{ type: 'schedule', cron: 'never' }],
    concurrency: { group: '<< nothing.here >>' },
    steps: [
      { id: 'apply', type: 'iac:apply', needs: ['plam'], when: '<< inputs.b >>' },
      { id: 'plan', type: 'iac:plan', timeout_seconds: 0 },
    ],
  })
  const paths = faults.map((fault) => fault.split(': ', 1)[0])
  expect(paths.toSorted()).toEqual([
    '.concurrency.group',
    '.inputs[0].default',
    '.steps[0]',
    '.steps[0].needs[0]',
    '.steps[0].when',
    '.steps[1].timeout_seconds',
    '.steps[1].with',
    '.steps[1].with',
    '.triggers[0].cron',
  ])
})

describe('artifacts', () => {
  const uploads = (id: string, upload: Json[], more: Json = {}) =>
    command(id, { with: { argv: ['true'], artifacts: { upload } }, ...more })
  const downloads = (id: string, download: Json[], more: Json = {}) =>
    command(id, { with: { argv: ['true'], artifacts: { download } }, ...more })
  const dist = { name: 'dist', paths: ['dist'] }
  const matrix = { strategy: { matrix: { node: [22, 24] } } }
  const place = '.steps[1].with.artifacts.download[0]'
  test(
    'are validated with the steps that upload them',
    everyCase<[string, Json[], string[]]>(
      [
        ['right', [uploads('a', [dist]), downloads('b', [{ name: 'dist', path: 'in/dist' }])], []],
        [
          'a name that no step uploads',
          [uploads('a', [dist]), downloads('b', [{ name: 'dits' }])],
          [`${place}.name: no earlier step uploads dits; did you mean dist?`],
        ],
        [
          'a step that is not needed',
          [uploads('a', [dist]), downloads('b', [{ name: 'dist' }], { needs: [] })],
          [`${place}.name: expected an artifact of an earlier step, dist is uploaded by a; add that step to \`needs\``],
        ],
        [
          'one name twice',
          [uploads('a', [dist]), uploads('b', [dist])],
          ['.steps[1].with.artifacts.upload[0].name: expected another name, dist is uploaded before'],
        ],
        [
          'one name for all combinations of a matrix',
          [uploads('a', [dist], matrix)],
          [
            '.steps[0].with.artifacts.upload[0].name: expected a name for each combination, such as dist-<< matrix.node >>',
          ],
        ],
        [
          'a name per combination',
          [uploads('a', [{ ...dist, name: 'dist-<< matrix.node >>' }], matrix), downloads('b', [{ name: 'dist-24' }])],
          [],
        ],
        [
          'paths outside the working directory',
          [
            uploads('a', [{ name: 'dist', paths: ['/etc/passwd', 'a/../../b'] }]),
            downloads('b', [{ name: 'dist', path: '..' }]),
          ],
          [
            '.steps[0].with.artifacts.upload[0].paths[0]: expected a path inside the working directory, without .. and without / at its begin',
            '.steps[0].with.artifacts.upload[0].paths[1]: expected a path inside the working directory, without .. and without / at its begin',
            `${place}.path: expected a path inside the working directory, without .. and without / at its begin`,
          ],
        ],
        [
          'a name of GitHub Actions',
          [uploads('a', [{ name: 'dist', path: ['dist'] }])],
          [
            '.steps[0].with.artifacts.upload[0].path: unknown property; did you mean paths?',
            '.steps[0].with.artifacts.upload[0].paths: required, but missing',
          ],
        ],
      ],
      (_, steps, expected) => expect(faultsOf({ steps }).toSorted()).toEqual(expected.toSorted()),
    ),
  )

  test('an input with choices or options gets the name of the property', () => {
    for (const name of ['choices', 'options', 'enum']) {
      const inputs = [{ id: 'size', type: 'string', [name]: ['s', 'm'] }]
      expect(faultsOf({ inputs, steps: [command('a')] })).toEqual([
        `.inputs[0].${name}: unknown property; did you mean values?`,
      ])
    }
  })
})

describe('a matrix', () => {
  const withMatrix = (matrix: Json, more: Json = {}) => ({
    steps: [command('test', { strategy: { matrix }, ...more })],
  })
  const argv = (...templates: string[]) => ({ with: { argv: templates } })
  test(
    'is validated with the steps that it creates',
    everyCase<[string, Json, string[]]>(
      [
        ['right', withMatrix({ site: ['a', 2, true] }, argv('<< matrix.site >>')), []],
        ['included names', withMatrix({ include: [{ site: 'a', zone: 'b' }] }, argv('<< matrix.zone >>')), []],
        [
          'a name that it does not have',
          withMatrix({ site: ['a'] }, argv('<< matrix.sit >>')),
          ['.steps[0].with.argv[0]: matrix has no sit; did you mean site? (line 1, column 10)'],
        ],
        [
          'a name without a matrix',
          { steps: [command('a', argv('<< matrix.site >>'))] },
          [expect.stringMatching(/^\.steps\[0\]\.with\.argv\[0\]: unknown name matrix/)],
        ],
        [
          'a template in it',
          withMatrix({ site: ['<< inputs.site >>'] }),
          [expect.stringMatching(/^\.steps\[0\]\.strategy\.matrix\.site\[0\]: expected no template/)],
        ],
        [
          'everything excluded',
          withMatrix({ site: ['a'], exclude: [{ site: 'a' }] }),
          ['.steps[0].strategy.matrix: expected a combination, all are excluded'],
        ],
        [
          'two steps with one id',
          withMatrix({ site: ['a b', 'a-b'] }),
          ['.steps[0].strategy.matrix: expected other values, two steps would have the id test-a-b'],
        ],
        [
          'too many combinations',
          withMatrix({ a: Array.from({ length: 20 }, (_, n) => n), b: Array.from({ length: 20 }, (_, n) => n) }),
          ['.steps[0].strategy.matrix: expected at most 256 combinations, got 400'],
        ],
        [
          'too many axes',
          withMatrix(Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`a${n}`, ['x']]))),
          [expect.stringMatching(/^\.steps\[0\]\.strategy\.matrix: .*12/)],
        ],
        [
          'a plan, which one apply belongs to',
          { steps: [{ ...plan(), strategy: { matrix: { site: ['a'] } } }] },
          [expect.stringMatching(/^\.steps\[0\]\.strategy: not allowed: a step of the type iac:plan belongs/)],
        ],
        [
          'a deployment that a later step ends',
          {
            steps: [
              { id: 'd', type: 'deploy', with: { module_instance_id: 'mi_1' }, strategy: { matrix: { site: ['a'] } } },
              { id: 'swap', type: 'deploy-swap' },
            ],
          },
          ['.steps[1]: expected a step of the type deploy without a matrix before it, d has one'],
        ],
        [
          'the output of all its steps',
          { steps: [...withMatrix({ site: ['a'] }).steps, command('end', argv('<< steps.test.output >>'))] },
          [],
        ],
      ],
      (_, config, expected) => {
        expect(faultsOf(config)).toEqual(expected)
      },
    ),
  )
})
