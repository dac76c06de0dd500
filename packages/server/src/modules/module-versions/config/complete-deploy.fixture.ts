import type { DeploymentType } from '@sluice/contract'

const ecs = 'arn:aws:ecs:eu-west-1:123456789012'
const elb = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012'
const cdn = 'arn:aws:cloudfront::123456789012'

const parts: Record<DeploymentType, object> = {
  'cloud:ecs': {
    infrastructure: {
      ecs_cluster_arn: `${ecs}:cluster/shop`,
      ecs_service_arn: `${ecs}:service/shop/web`,
      ecs_target_group_arn: `${elb}:targetgroup/a/1`,
      ecs_alternate_target_group_arn: `${elb}:targetgroup/b/2`,
      ecs_production_listener_rule_arn: `${elb}:listener-rule/app/web/1/2/3`,
      ecs_infrastructure_role_arn: 'arn:aws:iam::123456789012:role/shift',
    },
    task_definition: { family: 'web', container_definitions: [{ name: 'app', image: 'web:1' }] },
  },
  'cloud:ec2': {
    infrastructure: { autoscaling_group_name: 'workers', cloud_account_id: 'ca_1', region: 'eu-west-1' },
    definition: { runtime: 'container', image_uri: 'web:1' },
  },
  'cloud:lambda': {
    infrastructure: {
      function_arn: 'arn:aws:lambda:eu-west-1:123456789012:function:mailer',
      alias_name: 'live',
      s3_artifact_bucket: 'archives',
    },
    definition: { package_type: 'zip', s3_key: 'mailer/1.zip' },
  },
  'cloud:static': {
    infrastructure: {
      s3_bucket: 'site',
      s3_region: 'eu-west-1',
      cdn_distribution_arns: [`${cdn}:distribution/E1`],
      cdn_keyvaluestore_arn: `${cdn}:key-value-store/site`,
    },
    definition: { s3_directory: 'releases/1' },
  },
}

/** Returns a valid deploy block with some parts replaced. */
export const completeDeploy = (type: DeploymentType, other: object = {}): Record<string, unknown> => ({
  type,
  ...parts[type],
  ...other,
})
