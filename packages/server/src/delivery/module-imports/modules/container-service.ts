import type { ImportedModule } from '../imported-module.ts'
import { fixed, imageOfReference, inputTemplate, section, text, trafficInputs, trafficStrategy } from './inputs.ts'
import { placeInputs } from './place-inputs.ts'

const inputs = [
  ...placeInputs,
  fixed('cluster_arn', 'Cluster', { required: true }),
  fixed('service_arn', 'Service', { required: true }),

  section('container_section', 'Container'),
  text('container_name', 'Container', { required: true, description: 'The one that is released.' }),
  text('image_repository', 'Image repository', { required: true, description: 'Without tag or digest.' }),
  { id: 'command', label: 'Command', type: 'string_array', description: "Instead of the image's own." },
  { id: 'entry_point', label: 'Entry point', type: 'string_array', description: "Instead of the image's own." },
  { id: 'environment_variables', label: 'Environment variables', type: 'keyvalue' },
  {
    id: 'secrets',
    label: 'Secrets',
    type: 'object_array',
    add_button_label: 'Add a secret',
    description: 'Environment variables whose values are kept in a secret store.',
    item_title: { template: '{name}', fallback: 'Secret' },
    item_inputs: [text('name', 'Name', { required: true }), text('value_from', 'ARN', { required: true })],
  },
  { id: 'port_mappings', label: 'Ports', type: 'array' },
  { id: 'log_configuration', label: 'Log', type: 'object' },
  { id: 'health_check', label: 'Health check', type: 'object' },
  {
    id: 'container_settings',
    label: 'More of the container',
    type: 'object',
    description: 'All else that its definition says, as the cloud calls it.',
  },
  {
    id: 'further_containers',
    label: 'Further containers',
    type: 'array',
    description: 'Their definitions, as the cloud has them.',
  },

  section('task_section', 'Task'),
  text('family', 'Family', { required: true, description: 'What revisions of the task definition are called.' }),
  text('cpu', 'CPU units'),
  text('memory', 'Memory (MiB)'),
  text('execution_role_arn', 'Execution role'),
  text('task_role_arn', 'Task role'),
  text('network_mode', 'Network mode'),
  { id: 'requires_compatibilities', label: 'Launch types', type: 'string_array' },
  {
    id: 'task_settings',
    label: 'More of the task',
    type: 'object',
    description: 'All else that the task definition says, as the cloud calls it.',
  },

  section('release_section', 'Releases'),
  ...trafficInputs('rolling', ['rolling', 'blue_green', 'linear', 'canary'], 10),
  text('target_group_arn', 'Target group'),
  text('alternate_target_group_arn', 'Other target group'),
  text('production_listener_rule_arn', 'Rule of the users'),
  text('test_listener_rule_arn', 'Rule of test traffic'),
  text('infrastructure_role_arn', 'Role that changes the rules'),
]

const listed = (id: string) => `<< len(module.input.${id} || []) > 0 ? module.input.${id} : nil >>`
const logOption = (name: string) => `<< module.input.log_configuration.options["${name}"] >>`

const metric = (id: string, name: string, metricName: string) => ({
  id,
  name,
  type: 'line',
  source: {
    type: 'cloud_monitor',
    cloud_account_id: inputTemplate('cloud_account_id'),
    region: inputTemplate('cloud_region'),
    namespace: 'AWS/ECS',
    name: metricName,
    statistic: 'Average',
    dimensions: {
      ClusterName: '<< last(split(module.input.cluster_arn, "/")) >>',
      ServiceName: '<< last(split(module.input.service_arn, "/")) >>',
    },
  },
})

/** Module for an existing container service, with releases but without infrastructure. */
export const importedContainerService: ImportedModule = {
  type: 'imported-container-service',
  name: 'Imported container service',
  description: 'A container service that was there already: released from here, and otherwise left to whom it belongs.',
  version: '1.0.0',
  config: {
    readme:
      '# Imported container service\nIts inputs are the task definition of a service that was there already. It has no ' +
      'stack: nothing here makes, changes or destroys infrastructure. Releases register a revision of the task ' +
      'definition and update the service.',
    inputs,
    deploy: {
      type: 'cloud:ecs',
      timeout: 1800,
      concurrency: { queue_size: 1, queue_overflow: 'oldest' },
      inputs: [
        text('image_ref', 'Image', {
          required: true,
          description: 'A tag or a digest of the repository, or a whole image.',
        }),
      ],
      infrastructure: {
        ecs_cluster_arn: inputTemplate('cluster_arn'),
        ecs_service_arn: inputTemplate('service_arn'),
        ecs_target_group_arn: inputTemplate('target_group_arn'),
        ecs_alternate_target_group_arn: inputTemplate('alternate_target_group_arn'),
        ecs_production_listener_rule_arn: inputTemplate('production_listener_rule_arn'),
        ecs_test_listener_rule_arn: inputTemplate('test_listener_rule_arn'),
        ecs_infrastructure_role_arn: inputTemplate('infrastructure_role_arn'),
      },
      strategy: trafficStrategy('rolling'),
      task_definition: {
        '...overrides': '<< module.input.task_settings || {} >>',
        family: inputTemplate('family'),
        cpu: inputTemplate('cpu'),
        memory: inputTemplate('memory'),
        network_mode: inputTemplate('network_mode'),
        requires_compatibilities: listed('requires_compatibilities'),
        execution_role_arn: inputTemplate('execution_role_arn'),
        task_role_arn: inputTemplate('task_role_arn'),
        container_definitions: [
          {
            '...overrides': '<< module.input.container_settings || {} >>',
            name: inputTemplate('container_name'),
            image: `<< ${imageOfReference} >>`,
            command: listed('command'),
            entry_point: listed('entry_point'),
            environment: '<< map(toPairs(module.input.environment_variables || {}), {name: #[0], value: #[1]}) >>',
            secrets: '<< map(module.input.secrets || [], {name: #.name, value_from: #.value_from}) >>',
            port_mappings: '<< module.input.port_mappings || [] >>',
            log_configuration: inputTemplate('log_configuration'),
            health_check: inputTemplate('health_check'),
          },
          '...<< module.input.further_containers || [] >>',
        ],
      },
    },
    ui: {
      logs: [
        {
          id: 'app',
          name: 'Application',
          source: {
            type: 'cloud_monitor',
            cloud_account_id: inputTemplate('cloud_account_id'),
            region: logOption('awslogs-region'),
            log_group: logOption('awslogs-group'),
            log_stream_prefix: logOption('awslogs-stream-prefix'),
          },
        },
      ],
      metrics: [metric('cpu', 'CPU', 'CPUUtilization'), metric('memory', 'Memory', 'MemoryUtilization')],
    },
  },
}
