/**
 * Current version of the role in docs/connect-role.yaml. Increase it here and there with every change of the role's
 * permissions. Accounts with an older role are told what it lacks.
 */
export const latestRole = {
  version: '11',
  description:
    'The role has its version and its stack in tags (iam:ListRoleTags), whether an alias can share its calls ' +
    '(lambda:GetProvisionedConcurrencyConfig), whether steps can run in the account (ecs:DescribeClusters), what can be ' +
    'imported (ecs:ListClusters, ecs:ListServices, lambda:ListFunctions), and what a function runs as ' +
    '(lambda:ListAliases, lambda:ListVersionsByFunction). It shows what forms offer: networks (ec2:DescribeVpcs, ' +
    'ec2:DescribeSubnets, ec2:DescribeSecurityGroups, ec2:DescribeRouteTables) and images (ecr:DescribeRepositories, ' +
    'ecr:DescribeImages). It reads the variables of infrastructure runs that the account keeps (ssm:GetParameters, ' +
    'secretsmanager:GetSecretValue). Certificates are asked for and followed (acm), and the records that prove them are ' +
    'written (route53). It stores what builds publish (s3:PutObject), and pushes their images (ecr:GetAuthorizationToken, ' +
    'ecr:CreateRepository, ecr:BatchCheckLayerAvailability, ecr:InitiateLayerUpload, ecr:UploadLayerPart, ' +
    'ecr:CompleteLayerUpload, ecr:PutImage). It removes unused artifacts, if an organization enabled ' +
    'that (s3:ListBucketVersions, s3:DeleteObjectVersion, ecr:ListImageReferrers, ecr:BatchDeleteImage). It has builds ' +
    'carried out by the build service of the account (codebuild:CreateProject, codebuild:UpdateProject, ' +
    'codebuild:BatchGetProjects, codebuild:StartBuild, codebuild:StopBuild, codebuild:BatchGetBuilds, ' +
    'codebuild:ListBuildsForProject). It says whether the alarms of a release guard it (cloudwatch:DescribeAlarms). ' +
    'It checks releases before they start (iam:GetRole, iam:SimulatePrincipalPolicy, ssm:DescribeParameters, ' +
    'secretsmanager:DescribeSecret, ecr:DescribePullThroughCacheRules).',
} as const

/** Tags by which the template identifies the role's version and stack. */
export const roleTags = { version: 'sluice:role-version', stack: 'sluice:stack-id' } as const
