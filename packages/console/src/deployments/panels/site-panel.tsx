import { Code, Stack, Text } from '@mantine/core'
import type { StaticDeploymentData } from '@sluice/contract'
import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { TimeOfDay } from '../../ui/time.tsx'

/** Shows a static site: the served directory, its distributions and their cache invalidations. */
export const SitePanel = ({ data }: { data: StaticDeploymentData }) => {
  const { bucket, prefix, previousPrefix, promotedAt, distributions, invalidations = [], removedPrefixes = [] } = data
  return (
    <>
      <Section title="Directories">
        <Facts
          facts={{
            Before: previousPrefix === undefined ? 'None' : <Code>{previousPrefix}</Code>,
            New: <Code>{prefix}</Code>,
            'Live since': promotedAt === undefined ? 'Not yet' : <TimeOfDay at={promotedAt} />,
            Bucket: bucket,
          }}
        />
      </Section>
      <Section title="Distributions">
        <Stack gap="sm">
          {distributions.map(({ distributionId, domainName, status }) => (
            <Facts
              key={distributionId}
              facts={{
                [domainName ?? distributionId]: status ?? 'not checked yet',
                Caches: invalidations
                  .filter((one) => one.distributionId === distributionId)
                  .map(({ invalidationId, purpose, status }) => (
                    <div key={invalidationId}>
                      {purpose === 'ROLLBACK' ? 'invalidated for the rollback' : 'invalidated'}: {status}
                    </div>
                  )),
              }}
            />
          ))}
        </Stack>
      </Section>
      {removedPrefixes.length > 0 && (
        <Section title="Deleted older releases">
          {removedPrefixes.map(({ prefix, objectCount }) => (
            <Text key={prefix} size="sm">
              <Code>{prefix}</Code>, {objectCount} files
            </Text>
          ))}
        </Section>
      )}
    </>
  )
}
