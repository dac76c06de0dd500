import { Stack } from '@mantine/core'
import type { LambdaDeploymentData } from '@sluice/contract'
import { newPercentOf } from '@sluice/contract/stages'
import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { TrafficSplit } from '../traffic-split.tsx'

/** Shows a function: both versions and how the alias splits invocations. */
export const FunctionPanel = ({ data }: { data: LambdaDeploymentData }) => {
  const { aliasName, functionArn, previousVersion, version, imageUri, s3Bucket, s3Key } = data
  const newPercent = newPercentOf(data)
  return (
    <Section title="Versions and invocations">
      <Stack>
        {newPercent !== undefined && (
          <TrafficSplit title={`Invocations through ${aliasName}`} newPercent={newPercent} />
        )}
        <Facts
          facts={{
            Before: previousVersion === undefined ? undefined : `version ${previousVersion}`,
            New: version === undefined ? 'Not published yet' : `version ${version}`,
            Code: imageUri ?? (s3Key === undefined ? undefined : `${s3Bucket}/${s3Key}`),
            Alias: aliasName,
            Function: functionArn,
          }}
        />
      </Stack>
    </Section>
  )
}
