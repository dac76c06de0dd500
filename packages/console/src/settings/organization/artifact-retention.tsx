import { Checkbox, NumberInput, Stack, Text } from '@mantine/core'
import { type ArtifactRetention, retentionGraceMinutes } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { TimeAgo } from '../../ui/time.tsx'

/** Manages the retention of artifacts. */
export const ArtifactRetentionSection = () => {
  const retention = useOperation('getArtifactRetention', {})
  return (
    <Section title="Artifacts">
      <QueryResult of={retention}>
        {({ data }) => (
          <Stack align="flex-start" gap="sm">
            <RetentionStatus of={data} />
            <Change of={data} />
          </Stack>
        )}
      </QueryResult>
    </Section>
  )
}

const RetentionStatus = ({
  of: { isEnabled, keepDays, keepLatest, nextAt, failedRemovalCount },
}: {
  of: ArtifactRetention
}) => (
  <Stack gap={4}>
    <Text size="sm">
      {isEnabled
        ? `Sluice deletes artifacts that nothing uses. It keeps them for ${keepDays} days, and keeps the last ${keepLatest} releases and builds of each instance.`
        : 'Sluice keeps all artifacts.'}
    </Text>
    {nextAt !== undefined && (
      <Text size="sm" c="dimmed">
        Next cleanup <TimeAgo at={nextAt} />.
      </Text>
    )}
    {failedRemovalCount > 0 && (
      <Text size="sm" c="red.9">
        The cloud denied the deletion of {failedRemovalCount} artifacts in the last cleanup. Update the role of the
        account to its latest template. Each artifact shows the reason.
      </Text>
    )}
  </Stack>
)

const Change = ({ of }: { of: ArtifactRetention }) => {
  const set = useApiMutation(
    (form: FormData) =>
      client.setArtifactRetention({
        body: {
          data: {
            isEnabled: form.get('isEnabled') !== null,
            keepDays: Number(textFieldValue(form, 'keepDays')),
            keepLatest: Number(textFieldValue(form, 'keepLatest')),
          },
        },
      }),
    ['getArtifactRetention'],
  )
  return (
    <FormModal
      permission="organizations:write"
      label="Edit retention"
      title="Artifact retention"
      submit="Save"
      change={set}
      button={{ size: 'xs', variant: 'default' }}
    >
      <Checkbox
        name="isEnabled"
        label="Delete unused artifacts"
        description={`Starts after ${retentionGraceMinutes} minutes and can’t be undone. Artifacts that are running, waiting, or needed for a rollback are kept.`}
        defaultChecked={of.isEnabled}
      />
      <NumberInput
        name="keepDays"
        label="Days to keep each artifact"
        required
        min={1}
        max={3650}
        defaultValue={of.keepDays}
      />
      <NumberInput
        name="keepLatest"
        label="Releases and builds to keep for each instance"
        required
        min={1}
        max={30}
        defaultValue={of.keepLatest}
      />
    </FormModal>
  )
}
