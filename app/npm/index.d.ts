// Keys end in their unit: bytes are decimal, `_s` are seconds, `_d` days. `ringside evaluate --json` prints the same.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The fields of `ringside.scenario/1`; each has a default. A preset's id may stand for a model, a GPU or a cluster. */
export interface Scenario {
    model?: string | { [field: string]: Json };
    cluster?: string | { gpu?: string | { [field: string]: Json }; gpus?: number; gpus_per_node?: number; [field: string]: Json | undefined };
    parallel?: { tensor?: number; pipeline?: number; context?: number; expert?: number; zero?: 0 | 1 | 2 | 3; sequence_parallel?: boolean; [field: string]: Json | undefined };
    training?: { micro_batch?: number; global_batch?: number; sequence_length?: number; recompute?: string; schedule?: string; [field: string]: Json | undefined };
    [section: string]: unknown;
}

export interface Report {
    /** Every figure by its name: "memory.total_bytes", "step.time_s", "step.mfu". */
    metrics: { [name: string]: number | boolean };
    memory: { total_bytes: number; [name: string]: Json };
    step: { time_s: number; [name: string]: Json };
    [part: string]: Json;
}

export interface Layout {
    parallel: { [field: string]: Json };
    training: { [field: string]: Json };
    metrics: { [name: string]: number };
    [part: string]: Json;
}

export interface Document { [key: string]: any }

/** Of a command, without the dashes: { microBatches: 8 } or { micro_batches: 8 } is --micro-batches=8; a list repeats it. */
export interface Options { [option: string]: string | number | boolean | null | undefined | readonly (string | number)[] }

export interface Request { id?: Json; command: string[]; stdin?: Scenario | string }
export interface Answer { id: Json; status: 0 | 1 | 2; stdout: Document | string; stderr: string }

/** What was refused, a fault per line: `path: message (hint)`. */
export class RingsideError extends Error {
    readonly status: number;
    readonly faults: string[];
}

/** A scenario is its fields, or the text of a link. What is refused is thrown as a RingsideError. */
export class Engine {
    evaluate(scenario: Scenario | string, options?: Options): Report;
    explain(scenario: Scenario | string, options?: Options): Document;
    search(scenario: Scenario | string, options?: Options): { layouts: Layout[] } & Document;
    rent(scenario: Scenario | string, options?: Options): Document;
    schedule(options?: Options): Document;
    collective(options?: Options): Document;
    link(scenario: Scenario | string, options?: Options): string;
    /** With open({ drawing: true }): a view as SVG. */
    picture(view: string, scenario?: Scenario | string, options?: Options): string;
    /** With open({ drawing: true }): a question; with an answer as typed, its verdict. */
    question(id: string, answer?: string, options?: Options): Promise<Document>;

    /** Any command: a document, or a text. */
    run(command: string | readonly string[], options?: Options, stdin?: Scenario | string): any;
    /** As `ringside serve --stdio` takes and gives them; nothing is thrown. */
    answer(request: Request): Answer;
    answer(requests: readonly Request[]): Answer[];
    /** A file that commands can read; they see no others. */
    write(place: string, content: string | Uint8Array): void;
}

/** Loads the engine; with `drawing`, the larger one that draws views and asks questions. `base`: where its files are. */
export function open(options?: { drawing?: boolean; base?: string | URL }): Promise<Engine>;
