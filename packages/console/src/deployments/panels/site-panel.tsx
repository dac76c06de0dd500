import { Code, Stack, Text } from '@mantine/core'
import type { StaticDeploymentData } from '@sluice/contract'
import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { TimeOfDay } from '../../ui/time.tsx'

/** A static site: the directory that is served, the distributions that serve it, and what their caches let go of. */
export const SitePanel = ({ data }: { data: StaticDeploymentData }) => {
  const { bucket, prefix, previousPrefix, promotedAt, distributions, invalidations = [], removedPrefixes = [] } = data
  return (
    <>
      <Section title="Directories">
        <Facts
          facts={{
            Before: previousPrefix === undefined ? 'nothing was served' : <Code>{previousPrefix}</Code>,
            New: <Code>{prefix}</Code>,
            'Served since': promotedAt === undefined ? 'not yet' : <TimeOfDay at={promotedAt} />,
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
                [domainName ?? distributionId]: status ?? 'not looked at yet',
                Caches: invalidations
                  .filter((one) => one.distributionId === distributionId)
                  .map(({ invalidationId, purpose, status }) => (
                    <div key={invalidationId}>
                      {purpose === 'ROLLBACK' ? 'emptied for the rollback' : 'emptied'}: {status}
                    </div>
                  )),
              }}
            />
          ))}
        </Stack>
      </Section>
      {removedPrefixes.length > 0 && (
        <Section title="Older releases removed">
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
