import { type Static, Type } from 'typebox'
import {
  maxStepArtifactBytes,
  maxStepArtifactFiles,
  maxStepArtifactPieces,
  stepArtifactPieceBytes,
} from './constants.ts'

const closed = { additionalProperties: false } as const

/** Maximum characters of a piece in base64. */
const maxPieceCharacters = Math.ceil(stepArtifactPieceBytes / 3) * 4

/** Piece of the files that a step passes to later steps. A repeated piece replaces the earlier one. */
export const UploadStepArtifact = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    position: Type.Integer({ minimum: 0, maximum: maxStepArtifactPieces - 1 }),
    /** Content in base64. */
    content: Type.String({ minLength: 1, maxLength: maxPieceCharacters, pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
    /** Set with the last piece. Later steps can download the artifact only then. */
    end: Type.Optional(
      Type.Object(
        {
          fileCount: Type.Integer({ minimum: 1, maximum: maxStepArtifactFiles }),
          sizeBytes: Type.Integer({ minimum: 0, maximum: maxStepArtifactBytes }),
          /** SHA-256 hash of all pieces in hexadecimal. */
          sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        },
        closed,
      ),
    ),
  },
  closed,
)
export type UploadStepArtifact = Static<typeof UploadStepArtifact>

/** Request for one piece of an artifact that the order names. */
export const DownloadStepArtifact = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 100 }),
    position: Type.Integer({ minimum: 0, maximum: maxStepArtifactPieces - 1 }),
  },
  closed,
)
export type DownloadStepArtifact = Static<typeof DownloadStepArtifact>

/** Piece of an artifact, in base64. */
export type StepArtifactPiece = { content: string }
