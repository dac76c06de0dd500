/** What can offer the options of an input, as in `$values:cloud/regions`. */
export const providers = [
  'service/cloud_accounts',
  'service/execution_environments',
  'service/certificates',
  'service/domains',
  'cloud/regions',
  'cloud/ec2/instances',
  'cloud/fargate/sizes',
  'cloud/networks',
  'cloud/subnets',
  'cloud/security_groups',
  'cloud/image_repositories',
  'cloud/images',
  'iac/versions',
  'iac_alt/versions',
  'git/branches',
] as const
