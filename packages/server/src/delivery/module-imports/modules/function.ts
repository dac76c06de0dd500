import type { ImportedModule } from '../imported-module.ts'
import { fixed, imageOfReference, inputTemplate, section, text, trafficInputs, trafficStrategy } from './inputs.ts'
import { placeInputs } from './place-inputs.ts'

const inputs = [
  ...placeInputs,
  fixed('function_arn', 'Function', { required: true }),
  fixed('alias_name', 'Alias', { required: true, description: 'By which it is called; releases move it.' }),
  fixed('package_type', 'Made of', {
    required: true,
    values: [
      { value: 'zip', label: 'An archive' },
      { value: 'image', label: 'An image' },
    ],
  }),
  text('artifact_bucket', 'Bucket of the archives', { show_when: { package_type: 'zip' } }),
  text('image_repository', 'Image repository', {
    required: true,
    description: 'Without tag or digest.',
    show_when: { package_type: 'image' },
  }),
  text('log_group', 'Log group'),
  section('release_section', 'Releases'),
  ...trafficInputs('all_at_once', ['all_at_once', 'linear', 'canary'], 0),
]

const metric = (name: string, statistic: string) => ({
  id: name.toLowerCase(),
  name,
  type: 'line',
  source: {
    type: 'cloud_monitor',
    cloud_account_id: inputTemplate('cloud_account_id'),
    region: inputTemplate('cloud_region'),
    namespace: 'AWS/Lambda',
    name,
    statistic,
    dimensions: { FunctionName: '<< last(split(module.input.function_arn, ":")) >>' },
  },
})

/** Module for an existing function, with releases but without infrastructure. */
export const importedFunction: ImportedModule = {
  type: 'imported-function',
  name: 'Imported function',
  description: 'A function that was there already: released from here, and otherwise left to whom it belongs.',
  version: '1.0.0',
  config: {
    readme:
      '# Imported function\nA function that was there already. It has no stack: nothing here makes, changes or destroys ' +
      'infrastructure. Releases give it code, publish a version and move the alias.',
    inputs,
    deploy: {
      type: 'cloud:lambda',
      timeout: 1800,
      concurrency: { queue_size: 1, queue_overflow: 'oldest' },
      inputs: [
        text('s3_key', 'Archive', { required: true, show_when: { package_type: 'zip' } }),
        text('image_ref', 'Image', { required: true, show_when: { package_type: 'image' } }),
      ],
      infrastructure: {
        function_arn: inputTemplate('function_arn'),
        region: inputTemplate('cloud_region'),
        alias_name: inputTemplate('alias_name'),
        s3_artifact_bucket: inputTemplate('artifact_bucket'),
      },
      strategy: trafficStrategy('all_at_once'),
      definition: `<< module.input.package_type == "zip"
        ? {package_type: "zip", s3_key: deploy.input.s3_key}
        : {package_type: "image", image_uri: ${imageOfReference}} >>`,
    },
    ui: {
      logs: [
        {
          id: 'function',
          name: 'Function',
          source: {
            type: 'cloud_monitor',
            cloud_account_id: inputTemplate('cloud_account_id'),
            region: inputTemplate('cloud_region'),
            log_group: inputTemplate('log_group'),
          },
        },
      ],
      metrics: [
        metric('Invocations', 'Sum'),
        metric('Errors', 'Sum'),
        metric('Throttles', 'Sum'),
        metric('Duration', 'Average'),
      ],
    },
  },
}
