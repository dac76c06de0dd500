import { Checkbox, NumberInput, Stack, Text } from '@mantine/core'
import { type ArtifactRetention, retentionGraceMinutes } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useOperation } from '../../api/use-operation.ts'
import { Answer } from '../../ui/answer.tsx'
import { FormModal, textOf } from '../../ui/forms/form-modal.tsx'
import { Section } from '../../ui/section.tsx'
import { TimeAgo } from '../../ui/time.tsx'

/** What becomes of artifacts that nothing needs any more. */
export const ArtifactRetentionSection = () => {
  const retention = useOperation('getArtifactRetention', {})
  return (
    <Section title="Artifacts">
      <Answer of={retention}>
        {({ data }) => (
          <Stack align="flex-start" gap="sm">
            <Standing of={data} />
            <Change of={data} />
          </Stack>
        )}
      </Answer>
    </Section>
  )
}

const Standing = ({ of: { isEnabled, keepDays, keepLatest, nextAt, refusedCount } }: { of: ArtifactRetention }) => (
  <Stack gap={4}>
    <Text size="sm">
      {isEnabled
        ? `What builds have made is removed when nothing needs it any more. Kept are ${keepDays} days, and the last ${keepLatest} releases and builds of each instance.`
        : 'What builds have made stays, whether anything needs it or not.'}
    </Text>
    {nextAt !== undefined && (
      <Text size="sm" c="dimmed">
        Artifacts are looked through next <TimeAgo at={nextAt} />.
      </Text>
    )}
    {refusedCount > 0 && (
      <Text size="sm" c="red.9">
        The cloud did not let {refusedCount} of them be removed the last time. The role of the account may be older than
        its template; each artifact says why.
      </Text>
    )}
  </Stack>
)

const Change = ({ of }: { of: ArtifactRetention }) => {
  const set = useChange(
    (form: FormData) =>
      client.setArtifactRetention({
        body: {
          data: {
            isEnabled: form.get('isEnabled') !== null,
            keepDays: Number(textOf(form, 'keepDays')),
            keepLatest: Number(textOf(form, 'keepLatest')),
          },
        },
      }),
    ['getArtifactRetention'],
  )
  return (
    <FormModal
      needs="organizations:write"
      label="Change retention"
      title="What becomes of artifacts"
      submit="Save"
      change={set}
      button={{ size: 'xs', variant: 'default' }}
    >
      <Checkbox
        name="isEnabled"
        label="Remove artifacts that nothing needs any more"
        description={`From ${retentionGraceMinutes} minutes on, in the cloud: it cannot be taken back after that. What runs, waits or may be returned to stays.`}
        defaultChecked={of.isEnabled}
      />
      <NumberInput
        name="keepDays"
        label="Days that each is kept"
        required
        min={1}
        max={3650}
        defaultValue={of.keepDays}
      />
      <NumberInput
        name="keepLatest"
        label="Releases and builds of each instance that are kept"
        required
        min={1}
        max={30}
        defaultValue={of.keepLatest}
      />
    </FormModal>
  )
}
