import { Group, MultiSelect, Select, Text, TextInput } from '@mantine/core'
import type { FreezeWindow } from '@sluice/contract'
import { useContext, useState } from 'react'
import { describeCron, formatMinutes, weekdays } from '../../freezes/freeze-text.ts'
import { textFieldValue } from '../../ui/forms/form-modal.tsx'
import { FormProblems } from '../../ui/forms/form-problems.ts'
import { TimeZoneSelect } from '../../ui/forms/time-zone-select.tsx'
import { fromFieldTime, type ScheduleType, scheduleTypeOf, toFieldTime, weeklyIn, weeklyOf } from './freeze-schedule.ts'

type Props = { of: FreezeWindow | undefined }

const kinds = [
  { value: 'once', label: 'Once' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'cron', label: 'Cron expression' },
] as const satisfies readonly { value: ScheduleType; label: string }[]

/** Fields of a freeze's schedule, by its type. */
export const WindowFields = ({ of }: Props) => {
  const [kind, setKind] = useState<ScheduleType>(scheduleTypeOf(of))
  const faults = useContext(FormProblems)
  return (
    <>
      <Select
        name="kind"
        label="Schedule"
        data={kinds}
        value={kind}
        onChange={(chosen) => setKind(kinds.find(({ value }) => value === chosen)?.value ?? 'once')}
        allowDeselect={false}
        error={faults.window}
      />
      {kind === 'once' && <OnceFields of={of} />}
      {kind === 'weekly' && <WeeklyFields of={of} />}
      {kind === 'cron' && <CronField of={of} />}
      {kind !== 'once' && <RecurringFields of={of} />}
    </>
  )
}

const OnceFields = ({ of }: Props) => {
  const once = of && 'from' in of ? of : undefined
  const faults = useContext(FormProblems)
  return (
    <>
      <TextInput
        type="datetime-local"
        name="from"
        label="From"
        required
        defaultValue={toFieldTime(once?.from ?? new Date().toISOString())}
        error={faults['window.from']}
      />
      <TextInput
        type="datetime-local"
        name="until"
        label="Until"
        required
        defaultValue={once && toFieldTime(once.until)}
        error={faults['window.until']}
      />
    </>
  )
}

const WeeklyFields = ({ of }: Props) => {
  const { days, time } = weeklyOf(of)
  const faults = useContext(FormProblems)
  return (
    <Group grow align="start">
      <MultiSelect
        name="days"
        label="Days"
        placeholder={days.length === 0 ? 'Every day' : ''}
        data={weekdays.map((name, day) => ({ value: String(day), label: name }))}
        defaultValue={days}
        error={faults['window.cron']}
      />
      <TextInput type="time" name="time" label="Start time" required defaultValue={time} />
    </Group>
  )
}

const CronField = ({ of }: Props) => {
  const [cron, setCron] = useState(of && 'cron' in of ? of.cron : '0 16 * * 5')
  const faults = useContext(FormProblems)
  return (
    <TextInput
      name="cron"
      label="Cron expression"
      description={describeCron(cron) ?? 'Minute, hour, day of month, month, day of week.'}
      required
      value={cron}
      onChange={({ currentTarget }) => setCron(currentTarget.value)}
      error={faults['window.cron']}
    />
  )
}

const minutesOfDay = 1440
const weekendMinutes = 3840

const RecurringFields = ({ of }: Props) => {
  const recurring = of && 'cron' in of ? of : undefined
  const minutes = recurring?.minutes ?? weekendMinutes
  const faults = useContext(FormProblems)
  const parts = [
    { name: 'lastsDays', label: 'Days', value: Math.floor(minutes / minutesOfDay), max: 31 },
    { name: 'lastsHours', label: 'Hours', value: Math.floor((minutes % minutesOfDay) / 60), max: 23 },
    { name: 'lastsMinutes', label: 'Minutes', value: minutes % 60, max: 59 },
  ]
  return (
    <>
      <TimeZoneSelect value={recurring?.timeZone} error={faults['window.timeZone']} />
      <Group grow align="start" role="group" aria-label="Duration">
        {parts.map(({ name, label, value, max }) => (
          <TextInput key={name} type="number" name={name} label={label} min={0} max={max} defaultValue={value} />
        ))}
      </Group>
      <Text size="xs" {...(faults['window.minutes'] ? { c: 'red', role: 'alert' } : { c: 'dimmed' })}>
        {faults['window.minutes'] ?? `Duration, ${formatMinutes(31 * minutesOfDay)} at most.`}
      </Text>
    </>
  )
}

/** Returns the window from form values. */
export function windowFromForm(form: FormData): FreezeWindow {
  const kind = textFieldValue(form, 'kind')
  if (kind === 'once')
    return { from: fromFieldTime(textFieldValue(form, 'from')), until: fromFieldTime(textFieldValue(form, 'until')) }
  const count = (name: string) => Number(textFieldValue(form, name))
  return {
    cron:
      kind === 'weekly'
        ? weeklyIn(textFieldValue(form, 'time'), textFieldValue(form, 'days'))
        : textFieldValue(form, 'cron'),
    timeZone: textFieldValue(form, 'timeZone'),
    minutes: count('lastsDays') * minutesOfDay + count('lastsHours') * 60 + count('lastsMinutes'),
  }
}
