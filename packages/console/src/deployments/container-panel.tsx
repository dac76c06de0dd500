import type { EcsDeploymentData } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { Section } from '../ui/section.tsx'
import { Revisions } from './revisions.tsx'

// What stands further down comes on demand: the scripts of the first page are counted.
const DefinitionChanges = lazy(() =>
  import('./definition-changes.tsx').then((module) => ({ default: module.DefinitionChanges })),
)

/** A container service: two revisions with their tasks and traffic, and what is new in the definition. */
export const ContainerPanel = ({ data }: { data: EcsDeploymentData }) => (
  <>
    <Section title="Versions and traffic">
      <Revisions data={data} />
    </Section>
    <Section title="Changes of the task definition">
      <Suspense>
        <DefinitionChanges data={data} />
      </Suspense>
    </Section>
  </>
)
