import { Group, Text, ThemeIcon } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { NewEnvironment } from '../environments/new-environment.tsx'
import { NewProject } from '../projects/new-project.tsx'
import { ButtonLink } from '../ui/buttons/button-link.tsx'
import { Section } from '../ui/section.tsx'
import classes from './first-steps.module.css'
import { useBeginning } from './use-beginning.ts'

type Step = { title: string; about: string; isDone: boolean; action: ReactNode }

/** Leads whoever sets up an organization to its first release; it is gone after that. */
export const FirstSteps = () => {
  const beginning = useBeginning()
  if (!beginning) return null
  const { hasAccount, projectId, environmentId, instanceId } = beginning
  const steps: Step[] = [
    {
      title: 'Connect a cloud account',
      about: 'Sluice acts in it by a role that you make there, and keeps no key of it.',
      isDone: hasAccount,
      action: (
        <ButtonLink size="xs" to="/console/settings/cloud-accounts">
          Connect an account
        </ButtonLink>
      ),
    },
    {
      title: 'Make a project',
      about: 'What belongs together: a product, or what a team looks after.',
      isDone: projectId !== undefined,
      action: <NewProject />,
    },
    {
      title: 'Make its environments',
      about: 'Such as Staging and Production: the same services stand in each.',
      isDone: environmentId !== undefined,
      action: projectId && <NewEnvironment projectId={projectId} />,
    },
    {
      title: 'Bring a service',
      about: 'Import one that runs in the account, or pick a module and tell it which service of the account it is.',
      isDone: instanceId !== undefined,
      action: environmentId && (
        <Group gap="xs">
          <ButtonLink size="xs" to="/console/environments/$id/new" params={{ id: environmentId }}>
            Pick a module
          </ButtonLink>
          <ButtonLink size="xs" variant="default" to="/console/import" search={{ environmentId }}>
            Import what runs
          </ButtonLink>
        </Group>
      ),
    },
    {
      title: 'Release it',
      about: 'The first release that succeeds ends this guide.',
      isDone: false,
      action: instanceId && (
        <ButtonLink size="xs" to="/console/instances/$id" params={{ id: instanceId }}>
          Go to the service
        </ButtonLink>
      ),
    },
  ]
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Section
      title="First steps"
      aside={<Progress done={steps.filter(({ isDone }) => isDone).length} of={steps.length} />}
    >
      <ol className={classes.steps}>
        {steps.map((step, index) => (
          <Row key={step.title} step={step} number={index + 1} isNext={index === next} />
        ))}
      </ol>
    </Section>
  )
}

const Progress = ({ done, of }: { done: number; of: number }) => (
  <Text size="sm" c="dimmed" role="status">
    {done} of {of} done
  </Text>
)

const Row = ({
  step: { title, about, isDone, action },
  number,
  isNext,
}: {
  step: Step
  number: number
  isNext: boolean
}) => (
  <li aria-current={isNext ? 'step' : undefined}>
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon
        radius="xl"
        size={28}
        variant={isDone || isNext ? 'filled' : 'default'}
        {...(isDone && { color: 'teal.9' })}
      >
        {isDone ? <IconCheck size={16} aria-label="Done" /> : number}
      </ThemeIcon>
      <Group justify="space-between" gap="xs" style={{ flex: 1 }}>
        <div className={classes.words}>
          <Text fw={600} {...(isDone && { c: 'dimmed' })}>
            {title}
          </Text>
          {!isDone && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
        </div>
        {isNext && action}
      </Group>
    </Group>
  </li>
)
