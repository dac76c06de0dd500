import { type Static, Type } from 'typebox'
import { freeFormLike } from '../values/free-form.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** The kinds of statement and predicate: in-toto.io/Statement/v1, slsa.dev/provenance/v1 (read 2026-11). */
export const statementType = 'https://in-toto.io/Statement/v1'
export const provenanceType = 'https://slsa.dev/provenance/v1'

const Digests = Type.Record(Type.String(), Type.String(), {
  description: 'By algorithm, in hex: `sha256` of an archive and of the manifest of an image, `dirHash` of a site.',
  examples: [{ sha256: '0c4f5e1d' }],
})

const BuildDefinition = Type.Object(
  {
    buildType: Type.String({ description: 'Leads to what the parameters mean.' }),
    externalParameters: freeFormLike({ inputs: { ref: 'v1' } }),
    internalParameters: freeFormLike({ triggeredBy: 'Ada Lovelace' }),
    resolvedDependencies: Type.Array(
      Type.Object(
        {
          uri: Type.String({ examples: ['git+https://github.com/acme/shop-site'] }),
          digest: Type.Object({ gitCommit: Type.String() }, closed),
        },
        closed,
      ),
      { description: 'The commit that it was built from; none where the step was given files.' },
    ),
  },
  closed,
)

const RunDetails = Type.Object(
  {
    builder: Type.Object(
      {
        id: Type.String({ description: 'Who says it: the address of this service.' }),
        version: Type.Object({ sluice: Type.String() }, closed),
      },
      closed,
    ),
    metadata: Type.Object(
      {
        invocationId: Type.String({ description: 'The run and the step that built it.' }),
        startedOn: UtcDateTime,
        finishedOn: UtcDateTime,
      },
      closed,
    ),
  },
  closed,
)

/** Who built an artifact, from what, and how: an in-toto statement with the provenance of SLSA. */
export const Provenance = Type.Object(
  {
    _type: Type.Enum([statementType]),
    subject: Type.Array(Type.Object({ name: Type.String(), digest: Digests }, closed), { minItems: 1 }),
    predicateType: Type.Enum([provenanceType]),
    predicate: Type.Object({ buildDefinition: BuildDefinition, runDetails: RunDetails }, closed),
  },
  {
    ...closed,
    description:
      'Who built an artifact, from what, and how: an in-toto statement with the provenance of SLSA, unsigned.',
  },
)
export type Provenance = Static<typeof Provenance>
