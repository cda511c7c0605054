# Made from the parser by `make reference`. Do not edit.
_headroom() {
  local verb=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
  local words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'train elastic pretrain reproduce eval predict bench inspect embed collect rerank calibrate plan tune serve key import export report tokenize data --help --version' -- "$word")
    return
  fi
  case "$verb ${COMP_WORDS[COMP_CWORD - 1]}" in
    'train --task') words='classify pair image lm translate synthetic multilabel regress rerank tag embed' ;;
    'train --truncation') words='auto head tail head_tail' ;;
    'train --tokenizer') words='word wordpiece character space pipeline' ;;
    'train --method') words='dense nested budgeted static adaptive' ;;
    'train --attention') words='standard optimized efficient super' ;;
    'train --scope') words='heads heads+ffn' ;;
    'train --allocation') words='uniform ranked depth searched' ;;
    'train --weights') words='fp32 bf16' ;;
    'train --device') words='cpu cuda' ;;
    'elastic --scope') words='heads heads+ffn' ;;
    'elastic --allocation') words='uniform ranked depth searched' ;;
    'elastic --weights') words='fp32 bf16' ;;
    'elastic --device') words='cpu cuda' ;;
    'pretrain --attention') words='standard optimized efficient super' ;;
    'pretrain --objective') words='masked replaced' ;;
    'pretrain --weights') words='fp32 bf16' ;;
    'pretrain --device') words='cpu cuda' ;;
    'reproduce --device') words='cpu cuda' ;;
    'eval --engine') words='native torch' ;;
    'eval --precision') words='auto fp32 bf16 int8' ;;
    'eval --device') words='cpu cuda' ;;
    'predict --input') words='text jsonl' ;;
    'predict --aggregation') words='simple first average max' ;;
    'predict --bad-rows') words='stop mark' ;;
    'predict --engine') words='native torch' ;;
    'predict --precision') words='auto fp32 bf16 int8' ;;
    'predict --device') words='cpu cuda' ;;
    'bench --engine') words='native torch' ;;
    'bench --device') words='cpu cuda' ;;
    'embed --input') words='text jsonl' ;;
    'embed --format') words='jsonl npy' ;;
    'embed --precision') words='auto fp32 bf16 int8' ;;
    'rerank --input') words='text jsonl' ;;
    'rerank --precision') words='auto fp32 bf16 int8' ;;
    'calibrate --precision') words='auto fp32 bf16 int8' ;;
    'plan --precision') words='auto fp32 bf16 int8' ;;
    'tune --precision') words='auto fp32 bf16 int8' ;;
    'key --priority') words='high normal low' ;;
    'export --format') words='onnx hf' ;;
    'export --precision') words='fp32 int8' ;;
    'report --precision') words='auto fp32 bf16 int8' ;;
    'tokenize --input') words='text jsonl' ;;
  esac
  [ -n "$words" ] || case "$verb/$word" in
    train/-*) words='--help --help-all --task --data --eval-data --validation-data --max-tokens --truncation --tokenizer --cased --letter-case --vocab-size --min-count --patch --augment --train-rows --validation-rows --data-dir --max-memory --method --attention --layers --decoder-layers --width --heads --ffn --budget --init --scope --allocation --ffn-group --free-slopes --epochs --soft-epochs --hard-epochs --nested-epochs --batch --lr --soft-lr --hard-lr --nested-lr --gate-lr-factor --warmup --dropout --weight-decay --clip --label-smoothing --mass-weight --overshoot-weight --distill-weight --temperature --anchor-budgets --validate-every --patience --bf16 --adaptive-epochs --adaptive-lr --controller-lr-factor --controller-width --initial-share --share-low --share-high --hinge-weight --share-weight-first --share-weight-last --share-weight-from --share-weight-until --entropy-weight-first --entropy-weight-last --entropy-weight-from --entropy-weight-until --tau-first --tau-last --tau-from --tau-until --noise-first --noise-last --noise-from --noise-until --hard-first --hard-last --hard-from --hard-until --adaptive-distill --cap-gates --minutes --no-tune --out --resume --restart --save-seconds --weights --budgets --seed --threads --device --nproc --max-restarts --accumulate --rank-timeout --config --json' ;;
    elastic/-*) words='--help --help-all --model --texts --out --data-dir --max-tokens --validation-rows --max-memory --scope --allocation --ffn-group --epochs --lr --batch --patience --bf16 --dropout --weight-decay --temperature --resume --restart --save-seconds --weights --budgets --seed --threads --device --nproc --max-restarts --accumulate --rank-timeout --json' ;;
    pretrain/-*) words='--help --help-all --text --data-dir --init --vocab --vocab-size --cased --attention --layers --width --heads --ffn --max-tokens --objective --steps --minutes --batch --lr --warmup --dropout --weight-decay --generator-share --nested-share --mask --mask-end --short-share --short-tokens --sentence-order --validation-rows --validate-every --max-memory --out --weights --resume --restart --save-seconds --seed --threads --device --nproc --max-restarts --accumulate --rank-timeout --config --json' ;;
    reproduce/-*) words='--help --help-all --task --init --seeds --arms --epochs --train-rows --out --quick --vary-split --time-again --runs-only --summary-only --data-dir --device --threads --json' ;;
    eval/-*) words='--help --help-all --model --data --budgets --save --engine --precision --data-dir --threads --device --json' ;;
    predict/-*) words='--help --help-all --text --input --model --budget --latency-ms --all-tokens --aggregation --raw-scores --out --out-dir --resume --from-byte --shard --bad-rows --no-timing --max-new-tokens --temperature --top-k --beam --seed --data-dir --engine --precision --threads --device --packed-cache --json' ;;
    bench/-*) words='--help --help-all --model --budgets --batch --tokens --engine --precision --peer --peer-precision --peer-dir --texts --rounds --warmup --threads --device --cuda-graphs --seed --json' ;;
    inspect/-*) words='--help --help-all --model --budgets --tokens --verify --json' ;;
    embed/-*) words='--help --help-all --text --input --model --budget --latency-ms --format --dimensions --prompt --out --no-timing --data-dir --precision --threads --packed-cache --json' ;;
    collect/-*) words='--help --help-all --texts --out --json' ;;
    rerank/-*) words='--help --help-all --text --input --model --query --budget --latency-ms --top-k --raw-scores --data-dir --precision --threads --json' ;;
    calibrate/-*) words='--help --help-all --model --precision --budgets --tokens --rounds --threads --json' ;;
    plan/-*) words='--help --help-all --model --documents --tokens --cores --deadline --price-per-core-hour --budgets --precision --machine --json' ;;
    tune/-*) words='--help --help-all --model --data --texts --distill --validation-rows --split-seed --agreement --max-loss --mean-budget --certainty --budgets --no-rung-zero --no-blend --ngrams --epochs --data-dir --precision --threads --seed --json' ;;
    serve/-*) words='--help --help-all --model --models --model-control --host --port --grpc-port --slo-ms --max-deadline-ms --budget --min-budget --precision --threads --queue --max-batch-tokens --max-client-batch --payload-limit --max-memory --cache-memory --packed-cache --max-connections --read-seconds --idle-seconds --drain-seconds --api-key --api-keys --tls-cert --tls-key --tls-client-ca --allowed-host --admin-port --admin-host --log-requests --log-sample --json' ;;
    key/-*) words='--help --help-all --file --name --model --read-only --admin --priority --requests-per-minute --compute-seconds-per-minute --json' ;;
    import/-*) words='--help --help-all --from --out --follow-links --labels --json' ;;
    export/-*) words='--help --help-all --model --format --budget --precision --dense-equivalent --out --json' ;;
    report/-*) words='--help --help-all --model --data --results --claims --out --budgets --precision --examples --rounds --batch --tokens --data-dir --threads --json' ;;
    tokenize/-*) words='--help --help-all --text --input --model --max-tokens --data-dir --json' ;;
    data/-*) words='--help --help-all --data-dir --json' ;;
    data/*) words='list check get' ;;
  esac
  [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _headroom headroom
