import { Button, Group, Input, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core'
import {
  type ChannelKind,
  type Digest,
  digests,
  type NotificationChannel,
  type QuietPeriod,
  type Weekday,
  weekdays,
} from '@sluice/contract'
import { useContext, useId, useState } from 'react'
import { digestLabels, weekdayLabels } from '../../notifications/notification-labels.ts'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { TimeZoneSelect } from '../../ui/forms/time-zone-select.tsx'

const night: QuietPeriod = { from: '19:00', until: '08:00', days: [...weekdays] }

/**
 * Returns whether a channel can use digests and quiet hours. Programs and on-call channels are always notified
 * immediately.
 */
export const supportsDigest = (kind: ChannelKind): boolean => kind === 'SLACK' || kind === 'TEAMS' || kind === 'EMAIL'

type Props = { of?: Pick<NotificationChannel, 'quietHours' | 'digest' | 'timeZone'> | undefined }

/** Fields for digest, quiet hours and time zone. */
export const DeliveryFields = ({ of }: Props) => {
  const faults = useContext(FormProblems)
  const title = useId()
  const [periods, setPeriods] = useState((of?.quietHours ?? []).map((period, id) => ({ id, period })))
  const nextId = Math.max(-1, ...periods.map(({ id }) => id)) + 1
  return (
    <>
      <Select
        name="digest"
        label="Delivery"
        description="Critical notifications are always sent immediately, even during quiet hours."
        data={digests.map((one) => ({ value: one, label: digestLabels[one] }))}
        defaultValue={of?.digest ?? 'NONE'}
        allowDeselect={false}
        error={faults.digest}
      />
      <Stack gap="xs" role="group" aria-labelledby={title}>
        <Group justify="space-between">
          <Input.Label labelElement="div" id={title}>
            Quiet hours
          </Input.Label>
          <Button
            size="xs"
            variant="default"
            disabled={periods.length >= 7}
            onClick={() => setPeriods([...periods, { id: nextId, period: night }])}
          >
            Add quiet hours
          </Button>
        </Group>
        {periods.map(({ id, period }, index) => (
          <Period
            key={id}
            nth={index + 1}
            period={period}
            onRemove={() => setPeriods(periods.filter((one) => one.id !== id))}
          />
        ))}
        {faults.quietHours !== undefined && (
          <Text size="xs" c="red" role="alert">
            {faults.quietHours}
          </Text>
        )}
      </Stack>
      <TimeZoneSelect value={of?.timeZone} error={faults.timeZone} />
    </>
  )
}

const Period = ({ nth, period, onRemove }: { nth: number; period: QuietPeriod; onRemove: () => void }) => (
  <Stack gap={4} role="group" aria-label={`Quiet hours ${nth}`}>
    <Group align="end" gap="xs">
      <TextInput flex="1 1 7rem" type="time" name="quietFrom" label="From" required defaultValue={period.from} />
      <TextInput flex="1 1 7rem" type="time" name="quietUntil" label="Until" required defaultValue={period.until} />
      <Button variant="subtle" size="xs" onClick={onRemove} aria-label={`Remove quiet hours ${nth}`}>
        Remove
      </Button>
    </Group>
    <MultiSelect
      name="quietDays"
      aria-label="Days on which quiet hours start"
      data={weekdays.map((day) => ({ value: day, label: weekdayLabels[day] }))}
      defaultValue={period.days}
      required
    />
  </Stack>
)

/** Returns the digest and quiet hours from form values. */
export function deliveryFromForm(form: FormData) {
  const [from, until, days] = ['quietFrom', 'quietUntil', 'quietDays'].map((name) => form.getAll(name).map(String))
  const quietHours = (from ?? []).map((at, index) => ({
    from: at,
    until: until?.[index] ?? '',
    days: (days?.[index] ?? '').split(',').filter((day): day is Weekday => day in weekdayLabels),
  }))
  return { quietHours, digest: textFieldValue(form, 'digest') as Digest, timeZone: textFieldValue(form, 'timeZone') }
}
