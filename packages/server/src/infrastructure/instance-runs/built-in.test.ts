import { render } from '@sluice/expressions'
import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { configFaults } from '../../pipelines/pipeline-versions/config/faults.ts'
import { stepConfigs } from '../../pipelines/pipeline-versions/config/schema.ts'
import { builtIn } from './built-in.ts'

const actions = ['plan', 'change', 'destroy'] as const
type Json = Record<string, unknown>

test(
  'every built-in pipeline can be published',
  everyCase(actions, (action) => {
    expect(configFaults(builtIn[action].config)).toEqual([])
  }),
)

test.each<[string, Json, Json]>([
  [
    'files',
    { files: { 'main.tf': '' }, iac_variables: { size: 1 }, iac_variable_files: ['a.tfvars'], tool_version: '~1.11' },
    {
      source: { files: { 'main.tf': '' } },
      variables: { size: 1 },
      variable_files: ['a.tfvars'],
      tool_version: '~1.11',
    },
  ],
  [
    'a connected repository',
    { code_source_id: 'cs_1', repo: 'https://git.example/a/b', branch: 'main', base_path: 'net' },
    { source: { code_source_id: 'cs_1', ref: 'main', base_path: 'net' }, variable_files: [] },
  ],
  [
    'a public repository',
    { repo: 'https://git.example/a/b', ref: 'v1', branch: 'main', environment_variables: { A: 'b' } },
    { source: { repo: 'https://git.example/a/b', ref: 'v1' }, environment_variables: { A: 'b' }, variables: {} },
  ],
])('its plan step accepts %s', (_, given, expected) => {
  const inputs = { stack_id: 'stk_1', workspace: 'w', ...given }
  for (const action of actions) {
    const [plan] = builtIn[action].config.steps
    const rendered = render(plan.with, { inputs })
    expect(rendered).toMatchObject({ stack_id: 'stk_1', workspace: 'w', tool: 'iac', ...expected })
    expect(Check(stepConfigs['iac:plan'], rendered)).toBe(true)
  }
})
