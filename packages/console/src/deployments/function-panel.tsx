import { Stack } from '@mantine/core'
import type { LambdaDeploymentData } from '@sluice/contract'
import { Facts } from '../ui/facts.tsx'
import { Section } from '../ui/section.tsx'
import { TrafficSplit } from './traffic-split.tsx'

/** A function: the two versions, and how the alias shares the calls out between them. */
export const FunctionPanel = ({ data }: { data: LambdaDeploymentData }) => {
  const { aliasName, functionArn, previousVersion, version, imageUri, s3Bucket, s3Key } = data
  const newPercent = newShare(data)
  return (
    <Section title="Versions and calls">
      <Stack>
        {newPercent !== undefined && <TrafficSplit title={`Calls through ${aliasName}`} newPercent={newPercent} />}
        <Facts
          facts={{
            Before: previousVersion === undefined ? undefined : `version ${previousVersion}`,
            New: version === undefined ? 'not published yet' : `version ${version}`,
            Code: imageUri ?? (s3Key === undefined ? undefined : `${s3Bucket}/${s3Key}`),
            Alias: aliasName,
            Function: functionArn,
          }}
        />
      </Stack>
    </Section>
  )
}

/** How much of the calls the new version gets, in percent. */
function newShare({ aliasState, version }: LambdaDeploymentData): number | undefined {
  if (aliasState === undefined || version === undefined) return undefined
  const { additionalVersion, additionalWeight = 0 } = aliasState
  const share =
    aliasState.version === version ? 1 - additionalWeight : additionalVersion === version ? additionalWeight : 0
  return Math.round(100 * share)
}
